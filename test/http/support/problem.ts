import { PROBLEMS, type ProblemCode } from '../../../shared/lib/errors.ts';

/** A wrong field as a test writes it down: `pointer CODE detail`. */
export type WrongField = string;

/** What a report request has to be, as problems say it. */
export const REPORT_MEMBERS =
  'an object with the members filters, startDate, endDate, pagination, advertiserIds, metrics, dimensions and sort';

/** @returns the whole error body but for its id and time, written down by what differs. */
export function problem(
  code: ProblemCode,
  detail: string,
  instance: string,
  place = 'body',
  fields: readonly WrongField[] = [],
): object {
  const { status, title } = PROBLEMS[code];
  return {
    type: `/problems/${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    instance,
    code,
    errors: fields.map((field) => {
      const [, pointer, fieldCode, text] = /^(\S*) ([A-Z_]+) (.*)$/s.exec(field) ?? [];
      return { in: place, pointer, code: fieldCode, detail: text };
    }),
    statusCode: status,
    message: detail,
  };
}
