import type * as z from 'zod/mini';
import type { FieldCode, FieldProblem } from '../lib/errors.ts';
import { suggestName } from './suggest.ts';

type Issue = z.core.$ZodIssue;

/**
 * What a check over several fields reports: `detail` is a whole sentence, shown as it stands.
 * @example payload.issues.push(fieldIssue('END_BEFORE_START', ['endDate'], 'The end date must not lie before …', payload.value))
 */
export function fieldIssue(
  code: FieldCode,
  path: readonly PropertyKey[],
  detail: string,
  input: unknown,
): z.core.$ZodRawIssue {
  return { code: 'custom', path: [...path], message: detail, params: { code }, input };
}

/**
 * @param issues of a parse with `reportInput`, by schemas whose messages say what is allowed ("an integer from 1 to 100")
 * @returns one problem a field; of an object with several unknown members one a member
 */
export function toFieldProblems(issues: readonly Issue[], place: FieldProblem['in']): FieldProblem[] {
  return issues.flatMap((issue, index) => {
    if (issue.code === 'unrecognized_keys') return describeUnknownMembers(issue, place);
    return isRepeated(issue, issues[index - 1]) ? [] : [describeIssue(issue, place)];
  });
}

/** An integer beyond what JavaScript counts exactly is beyond the field's own bound as well: that is one problem. */
function isRepeated(issue: Issue, previous: Issue | undefined): boolean {
  return issue.code !== 'custom' && issue.code === previous?.code && issue.path.join() === previous.path.join();
}

function describeUnknownMembers(issue: z.core.$ZodIssueUnrecognizedKeys, place: FieldProblem['in']): FieldProblem[] {
  return issue.keys.map((key) => ({
    in: place,
    pointer: pointerTo([...issue.path, key], place),
    code: 'UNKNOWN_MEMBER',
    detail: `There is no such member: this must be ${issue.message}.`,
  }));
}

function describeIssue(issue: Issue, place: FieldProblem['in']): FieldProblem {
  const at = { in: place, pointer: pointerTo(issue.path, place) };
  if (issue.code === 'custom' && issue.params !== undefined) {
    return { ...at, code: issue.params.code as FieldCode, detail: issue.message }; // only fieldIssue makes custom issues with params
  }
  if (issue.input === undefined) return { ...at, code: 'REQUIRED', detail: `Required: ${issue.message}.` };
  return { ...at, code: codeOf(issue), detail: `Must be ${issue.message}.${suggestionFor(issue)}` };
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

function suggestionFor(issue: Issue): string {
  if (issue.code !== 'invalid_value') return '';
  const meant = suggestName(issue.input, issue.values.map(String));
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

function pointerTo(path: readonly PropertyKey[], place: FieldProblem['in']): string {
  if (place !== 'body') return path.map(String).join('.');
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
