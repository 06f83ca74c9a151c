import type { Experience, FactTable } from '../../catalog/tables.ts';
import type { CodedKeys } from '../../columns/coded-keys.ts';
import type { KeyValue } from '../../columns/column.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { TimeZone } from '../schema/time-zone.ts';
import type { CodedFacts, References } from './code-facts.ts';

/** Kinds of suspicious facts: usually a mistake, but loaded with a warning. */
type Suspicion = 'skippedHour' | 'unknownCreative' | 'unknownProduct';

/** Suspicious rows of one kind. Plain data, which threads send. */
export interface Finding {
  readonly kind: Suspicion;
  readonly rows: number;
  /** The first distinct examples. */
  readonly examples: readonly Example[];
}

interface Example {
  readonly what: string;
  /** Line of the file. */
  readonly line: number;
}

/** The facts that findings belong to. */
interface FindingScope {
  readonly experience: Experience;
  readonly table: FactTable;
  readonly file: string;
}

const MAX_EXAMPLES = 2;

const DESCRIPTIONS: Readonly<Record<Suspicion, (timeZone: string) => string>> = {
  skippedHour: (timeZone) => `rows in an hour that clocks in ${timeZone} skip on that day`,
  unknownCreative: () => 'rows with a creative_key that no creative has',
  unknownProduct: () => 'rows with an entity_id that is no product of the advertiser',
};

interface Warning {
  readonly text: string;
  rows: number;
  examples: readonly { readonly text: string; readonly what: string }[];
}

/** Turns the findings of a load into warnings: one per kind, experience and fact table, however many rows have it. */
export class FactWarnings {
  readonly #timeZone: string;
  readonly #warnings = new Map<string, Warning>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  add({ experience, table, file }: FindingScope, findings: readonly Finding[]): void {
    for (const { kind, rows, examples } of findings) {
      const text = `facts/${experience}/${table}*: ${DESCRIPTIONS[kind](this.#timeZone)}`;
      const warning = this.#warnings.get(text) ?? { text, rows: 0, examples: [] };
      this.#warnings.set(text, warning);
      warning.rows += rows;
      const added = examples.map(({ what, line }) => ({ what, text: `${what} (${file}:${line})` }));
      warning.examples = firstDistinct([...warning.examples, ...added]);
    }
  }

  /** @returns each warning as a text without a final period */
  list(): string[] {
    return [...this.#warnings.values()].map(({ text, rows, examples }) => {
      return `${text}: ${rows.toLocaleString('en-US')}, such as ${examples.map((example) => example.text).join(' and ')}`;
    });
  }
}

function firstDistinct(examples: Warning['examples']): Warning['examples'] {
  return examples
    .filter(({ what }, i) => examples.findIndex((example) => example.what === what) === i)
    .slice(0, MAX_EXAMPLES);
}

/**
 * @param facts rows whose values are all valid
 * @returns the suspicious rows
 */
export function checkFacts(
  facts: CodedFacts,
  references: References,
  zone: TimeZone,
  lineOf: (row: number) => number,
): Finding[] {
  return [
    ...checkHours(facts, zone, lineOf),
    ...checkCreatives(facts, references, lineOf),
    ...checkProducts(facts, references, lineOf),
  ];
}

const HOURS = 24;

function checkHours({ rows, keys }: CodedFacts, zone: TimeZone, lineOf: (row: number) => number): Finding[] {
  const tally = new Tally('skippedHour');
  const dayOf = (row: number) => Number(valueIn(keys.get('date'), row));
  const hourOf = (row: number) => Number(valueIn(keys.get('hour'), row));
  let day = Number.NaN;
  let seconds: readonly number[] = [];
  for (let row = 0; row < rows; row++) {
    if (dayOf(row) !== day) {
      day = dayOf(row);
      seconds = zone.secondsOfHours(day);
    }
    if (seconds[hourOf(row)] === 0) tally.add(row, day * HOURS + hourOf(row));
  }
  return tally.find((row) => ({ what: `hour ${hourOf(row)} of ${formatDay(dayOf(row))}`, line: lineOf(row) }));
}

function checkCreatives(
  { rows, keys, advertisers }: CodedFacts,
  { creatives }: References,
  lineOf: (row: number) => number,
): Finding[] {
  const column = keys.get('creative_key');
  if (column === undefined || creatives.size === 0) return []; // an operator may load none, as reports without names need none
  const tally = new Tally('unknownCreative');
  const keyOf = (row: number) => String(valueIn(column, row));
  for (let row = 0; row < rows; row++) {
    if (column.codes[row] === 0) continue; // absent
    if (!creatives.has(keyOf(row))) tally.add(row, keyOf(row));
  }
  return tally.find((row) => {
    return { what: `${keyOf(row)} in an ad group of advertiser ${advertisers[row]}`, line: lineOf(row) };
  });
}

function checkProducts(
  { rows, keys, advertisers }: CodedFacts,
  { products }: References,
  lineOf: (row: number) => number,
): Finding[] {
  const column = keys.get('entity_id');
  if (column === undefined) return [];
  const tally = new Tally('unknownProduct');
  const upcOf = (row: number) => String(valueIn(column, row));
  for (let row = 0; row < rows; row++) {
    if (column.codes[row] === 0) continue; // absent
    if (products.get(advertisers[row] ?? 0)?.has(upcOf(row)) !== true) tally.add(row, upcOf(row));
  }
  return tally.find((row) => {
    return { what: `${upcOf(row)} in an ad group of advertiser ${advertisers[row]}`, line: lineOf(row) };
  });
}

function valueIn(column: CodedKeys | undefined, row: number): KeyValue {
  return column?.dictionary[column.codes[row] ?? 0] ?? null;
}

/** Counts the suspicious rows of one kind, and holds the first examples. */
class Tally {
  readonly #kind: Suspicion;
  readonly #examples: number[] = [];
  /** The values of the examples. */
  readonly #values = new Set<KeyValue>();
  #rows = 0;

  constructor(kind: Suspicion) {
    this.#kind = kind;
  }

  /** @param value the suspicious value: rows with the same one are one example */
  add(row: number, value: KeyValue): void {
    this.#rows++;
    if (this.#examples.length === MAX_EXAMPLES || this.#values.has(value)) return;
    this.#values.add(value);
    this.#examples.push(row);
  }

  /** @returns the finding, if there is any */
  find(describe: (row: number) => Example): Finding[] {
    if (this.#rows === 0) return [];
    return [{ kind: this.#kind, rows: this.#rows, examples: this.#examples.map(describe) }];
  }
}
