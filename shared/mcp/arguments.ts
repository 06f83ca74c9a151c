import { suggestNames } from '../catalog/describe/suggest.ts';
import { writeFilter, writeSort } from '../contract/report/report-text.ts';
import { REPORT_URL } from '../contract/report/report-url.ts';

/** An argument of a tool as JSON Schema; `isList` = a text or a list of texts. */
export interface Argument {
  readonly description: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: string | number;
  readonly isList?: true;
}

/** The arguments as texts; those that are empty are absent. */
export type Texts = Readonly<Partial<Record<string, readonly string[]>>>;

const TEXT = { type: 'string' };
const LIST = { anyOf: [TEXT, { type: 'array', items: TEXT }] };

/** @returns the JSON Schema of a tool's arguments */
export function schemaOf(tool: Readonly<Record<string, Argument>>, required: readonly string[]) {
  const properties = Object.entries(tool).map(([name, { isList, ...argument }]) => {
    return [name, { ...(isList === true ? LIST : TEXT), ...argument }];
  });
  return {
    type: 'object' as const,
    properties: Object.fromEntries(properties),
    required: [...required],
    additionalProperties: false,
  };
}

/**
 * Accepts texts, numbers and lists of them. What has one meaning only, but another form, is an error that has the right form.
 * @throws Error about all arguments that do not exist or have another form, with the corrected call
 */
export function readArguments(given: unknown, tool: Readonly<Record<string, Argument>>): Texts {
  const known = Object.keys(tool);
  const problems: string[] = [];
  const texts: Record<string, readonly string[]> = {};
  for (const [sent, value] of membersOf(given)) {
    if (isEmpty(value)) continue;
    const name = findName(sent, known);
    if (name !== sent) problems.push(`there is no argument ${sent}${name === undefined ? '' : `; it is ${name}`}`);
    if (name === undefined) continue;
    const { isList = false } = tool[name] ?? {};
    const parsed = isList ? parseJson(value) : value;
    const values = [parsed].flat().filter((item) => !isEmpty(item));
    if (parsed !== value || values.some((item) => typeof item === 'object'))
      problems.push(`${sent} must be a text${isList ? ' or a list of texts' : ''}`);
    if (values.length > 1 && !isList) throw new Error(`${sent} takes one value: ${JSON.stringify(value)} has several`);
    texts[name] = [...(isList ? (texts[name] ?? []) : []), ...values.map((item) => writeText(name, item))];
  }
  const sort =
    texts.sort && writeDirections(texts.sort.join(','), (texts.metrics ?? texts.by)?.[0]?.split(',')[0] ?? 'cost');
  if (sort !== texts.sort?.join(',')) problems.push('sort is a field, with - before it to descend');
  if (problems.length === 0) return texts;
  const corrected = Object.entries({ ...texts, ...(sort && { sort: [sort] }) }).map(([name, list]) => {
    const isNumber = name === 'limit' || name === 'offset';
    const isSplit = list.length > 1 && (name === 'filter' || list.some((text) => text.includes(',')));
    return [name, isNumber ? Number(list[0]) : isSplit ? list : list.join(',')];
  });
  throw new Error(
    `${problems.join('\n')}\nThe arguments are ${known.join(', ') || 'none'}. The corrected call: ${JSON.stringify(Object.fromEntries(corrected))}`,
  );
}

/** @returns the members, those of the body's `pagination` among them */
function membersOf(given: unknown): [string, unknown][] {
  return Object.entries(Object(given)).flatMap(([name, value]): [string, unknown][] =>
    name === 'pagination' && typeof value === 'object' ? Object.entries(value ?? {}) : [[name, value]],
  );
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** @returns the argument that is meant: with this name, for this member of a report's body, or with a name like it */
function findName(sent: string, known: readonly string[]): string | undefined {
  const member = sent.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const parameter = sent === 'size' ? 'limit' : REPORT_URL.parameterOf(`/${member}`);
  const meant = [sent, member, parameter].find((name) => known.includes(name));
  return meant ?? suggestNames(sent, known)[0];
}

/** @returns the list or object that a text states as JSON; all else unchanged */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** @returns the value in the grammar of a report's URL; of an object, that of a member of a report's body */
function writeText(name: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const {
    field,
    operator,
    values,
    value: single = [],
    order,
    direction = order,
    by,
    startDate,
    endDate,
  } = Object(value);
  if (name === 'filter' && field !== undefined && operator !== undefined) {
    return writeFilter({ field, operator: String(operator), values: [values ?? single].flat().map(String) });
  }
  if (name === 'sort' && field !== undefined)
    return writeSort({ field, order: /^asc/i.test(direction) ? 'ASC' : 'DESC', by });
  if (name === 'compare' && startDate !== undefined && endDate !== undefined) return `${startDate}..${endDate}`;
  throw new Error(`${name} must be a text or a list of texts, not ${JSON.stringify(value)}`);
}

/** @returns `-cost` for `cost DESC`, and for `desc` alone with the field before it or the metric */
function writeDirections(text: string, metric: string): string {
  const written: string[] = [];
  for (const item of text.split(',')) {
    const [, field, direction] = /^\s*(?:([\w:]+)\s+)?(asc|desc)(?:ending)?\s*$/i.exec(item) ?? [];
    const sorted = direction === undefined ? item : (field ?? written.pop() ?? metric).trim();
    written.push(/^d/i.test(direction ?? '') ? `-${sorted}` : sorted);
  }
  return written.join(',');
}
