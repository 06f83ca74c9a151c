import { PROBLEMS, type ProblemCode } from '../../../shared/lib/errors.ts';

/** A wrong field in short form: `pointer CODE detail`. */
export type WrongField = string;

/** What a report request must be, as problems put it. */
export const REPORT_MEMBERS =
  'an object with the members filters, startDate, endDate, pagination, advertiserIds, metrics, dimensions, sort, compare and validateOnly';

/** @returns the whole error body, without its id and time */
export function problem(
  code: ProblemCode,
  detail: string,
  instance: string,
  part = 'body',
  fields: readonly WrongField[] = [],
): object {
  const { status, title } = PROBLEMS[code];
  return {
    type: `/v2/problems/${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    instance,
    code,
    errors: fields.map((field) => {
      const [, pointer, fieldCode, text] = /^(\S*) ([A-Z_]+) (.*)$/s.exec(field) ?? [];
      return { in: part, pointer, code: fieldCode, detail: text };
    }),
    statusCode: status,
    message: detail,
  };
}

/** @returns the `meta` of a page */
export const page = (offset: number, size: number, total: number) => ({
  page: { offset, size, total, hasMore: offset + size < total },
});

/** @returns the ids on the page, or status, code and wrong fields of the problem */
export async function outcome(response: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await response;
  const { data, code, errors } = body as { data?: { id: number }[]; code?: string; errors?: { pointer: string }[] };
  return status === 200 ? data?.map(({ id }) => id) : [status, code, ...(errors ?? []).map(({ pointer }) => pointer)];
}
