import type { FieldProblem } from '../../lib/errors.ts';
import { MAX_PAGE_SIZE } from './report-limits.ts';
import { MAX_FILE_PAGE_SIZE } from './report-request.ts';
import { parseCompare, parseFilter, parseSort } from './report-text.ts';

/** The parameters of a report as a URL, with what they stand for in the body of a POST. */
const POINTERS = {
  by: '/dimensions',
  metrics: '/metrics',
  start: '/startDate',
  end: '/endDate',
  filter: '/filters',
  sort: '/sort',
  compare: '/compare',
  advertisers: '/advertiserIds',
  offset: '/pagination/offset',
  size: '/pagination/size',
} as const;
type Parameter = keyof typeof POINTERS;

/** The report as a URL, as the chain of the endpoint reads it. */
export const REPORT_URL = {
  parameters: [...Object.keys(POINTERS), 'format', 'comments'],
  parameterOf,
  read: readReportUrl,
};

/** @returns the parameter that the pointer into the body is about */
function parameterOf(pointer: string): string {
  const found = Object.entries(POINTERS).find(([, start]) => `${pointer}/`.startsWith(`${start}/`));
  return found?.[0] ?? pointer;
}

/**
 * @param valuesOf returns all values of a parameter
 * @returns the body that the parameters stand for, which is not checked yet, and the problems of texts that have no meaning. A parameter without a value is an
 * empty name, which the check rejects, so that an empty cell of a sheet does not select everything
 */
function readReportUrl(valuesOf: (name: Parameter) => readonly string[], format: string) {
  const problems: FieldProblem[] = [];
  const parse = <Value>(name: Parameter, texts: readonly string[], parser: (text: string) => Value): Value[] =>
    texts.flatMap((text) => {
      try {
        return [parser(text)];
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        problems.push({ in: 'query', pointer: name, code: 'WRONG_FORMAT', detail: `Wrong: ${error.message}.` });
        return [];
      }
    });
  const list = (name: Parameter) => valuesOf(name).flatMap((text) => text.split(',').map((item) => item.trim()));
  const numbers = (texts: readonly string[]) => texts.map((text) => (/^-?\d+$/.test(text) ? Number(text) : text));
  const last = (name: Parameter) => valuesOf(name).at(-1);
  const date = (name: Parameter) => last(name)?.replace(' ', '+'); // a plus sign that is not encoded is a space
  const [offset = 0] = numbers(valuesOf('offset').slice(-1));
  const [size = format === 'json' ? MAX_PAGE_SIZE : MAX_FILE_PAGE_SIZE] = numbers(valuesOf('size').slice(-1));
  const body = {
    startDate: date('start'),
    endDate: date('end'),
    metrics: list('metrics'),
    dimensions: list('by'),
    filters: parse('filter', valuesOf('filter'), parseFilter),
    sort: parse('sort', list('sort'), parseSort),
    advertiserIds: numbers(list('advertisers')),
    pagination: { offset, size },
    ...Object.fromEntries(
      parse('compare', valuesOf('compare').slice(-1), parseCompare).map((compare) => ['compare', compare]),
    ),
  };
  return { body, problems, isWhole: last('size') === undefined };
}
