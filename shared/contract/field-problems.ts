import * as z from 'zod/mini';
import { suggestNames } from '../catalog/describe/suggest.ts';
import { MAX_NAME_LENGTH } from '../lib/closest-name.ts';
import type { FieldCode, FieldProblem } from '../lib/errors.ts';
import { MAX_LISTED_FIELDS } from './problem.ts';

type Issue = z.core.$ZodIssue;

/**
 * @param detail a sentence, which is shown to the client unchanged
 * @returns an issue with a code and detail of ours, for checks that zod does not have
 * @example payload.issues.push(fieldIssue('END_BEFORE_START', ['endDate'], 'Must be the start date, …', payload.value))
 */
export function fieldIssue(
  code: FieldCode,
  path: readonly PropertyKey[],
  detail: string,
  input: unknown,
): z.core.$ZodRawIssue {
  return { code: 'custom', path: [...path], message: detail, params: { code }, input };
}

const OBJECT = 'an object with the members ';

/**
 * @param toSend what to send usually, for a request without the object
 * @returns the schema of an object with these members and no others; a problem with an unknown one suggests the one that may be meant
 */
export function strictMembers<Shape extends z.core.$ZodShape>(shape: Shape, toSend?: string) {
  const names = Object.keys(shape);
  const members = `${OBJECT}${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return z.strictObject(shape, { error: orSend(members, toSend) });
}

/** @returns the message of a schema: what is allowed and, for a request without the member, what to send usually */
export function orSend(allowed: string, toSend?: string) {
  return ({ input }: { readonly input?: unknown }) =>
    input === undefined && toSend !== undefined ? `${allowed}; ${toSend}` : allowed;
}

/**
 * @param issues from a parse with `reportInput`; the messages of the schemas are noun phrases that say what is allowed ("an integer from 1 to 100")
 * @returns one problem per issue, without repeated ones, and one for each of the first MAX_LISTED_FIELDS + 1 unknown members of an object
 */
export function toFieldProblems(issues: readonly Issue[], part: FieldProblem['in']): FieldProblem[] {
  return issues.flatMap((issue, index) => {
    if (issue.code === 'invalid_union') return toFieldProblems(issuesOfVariant(issue), part);
    if (issue.code === 'unrecognized_keys') return describeUnknownMembers(issue, part);
    return isRepeated(issue, issues[index - 1]) ? [] : [describeIssue(issue, part)];
  });
}

/** @returns the issues of the variant whose members the value has, or else of the first one */
function issuesOfVariant({ errors, path }: z.core.$ZodIssueInvalidUnion): Issue[] {
  const isOfMembers = (own: readonly Issue[]) =>
    own.some((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');
  const issues = errors.find(isOfMembers) ?? errors[0] ?? [];
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** An integer beyond 2^53 violates two bounds, JavaScript's and the field's own; the client gets one problem. */
function isRepeated(issue: Issue, previous: Issue | undefined): boolean {
  return issue.code !== 'custom' && issue.code === previous?.code && issue.path.join() === previous.path.join();
}

function describeUnknownMembers(issue: z.core.$ZodIssueUnrecognizedKeys, part: FieldProblem['in']): FieldProblem[] {
  const known = issue.message.slice(OBJECT.length).split(/, | and /); // as strictMembers wrote them
  return issue.keys.slice(0, MAX_LISTED_FIELDS + 1).map((key) => ({
    in: part,
    pointer: pointerTo([...issue.path, key], part),
    code: 'UNKNOWN_MEMBER',
    detail: `This member is unknown; expected ${issue.message}.${suggestionFor(key, known)}`,
  }));
}

function describeIssue(issue: Issue, part: FieldProblem['in']): FieldProblem {
  const location = { in: part, pointer: pointerTo(issue.path, part) };
  if (issue.code === 'custom' && issue.params !== undefined) {
    return { ...location, code: issue.params.code as FieldCode, detail: issue.message }; // only fieldIssue makes custom issues with params
  }
  if (issue.input === undefined) return { ...location, code: 'REQUIRED', detail: `Required: ${issue.message}.` };
  const suggestion = issue.code === 'invalid_value' ? suggestionFor(issue.input, issue.values.map(String)) : '';
  return {
    ...location,
    code: codeOf(issue),
    detail: `${suggestion.trimStart()} Must be ${issue.message}.`.trimStart(),
  };
}

function codeOf(issue: Issue): FieldCode {
  switch (issue.code) {
    case 'invalid_type':
    case 'custom':
      return 'WRONG_TYPE';
    case 'invalid_format':
      return 'WRONG_FORMAT';
    case 'too_small':
    case 'too_big':
      return 'OUT_OF_RANGE';
    default:
      return 'NOT_ALLOWED';
  }
}

const suggestionFor = (text: unknown, allowed: readonly string[]) => askIfMeant(suggestNames(text, allowed));

/** @returns a question for the end of a detail, after a space; '' without suggestions */
export function askIfMeant(suggestions: readonly string[]): string {
  const quoted = suggestions.map((name) => `"${name}"`);
  return quoted.length === 0 ? '' : ` Did you mean ${quoted.join(' or ')}?`;
}

function pointerTo(path: readonly PropertyKey[], part: FieldProblem['in']): string {
  if (part !== 'body') return path.map(String).join('.');
  return path.map((key) => `/${shortenName(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** @returns the name of an unknown member or parameter, cut, because a client may send a megabyte */
export function shortenName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}
