import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { OPERATORS } from '../../shared/catalog/operators.ts';
import { MAX_LISTED_FIELDS } from '../../shared/contract/problem.ts';
import { MAX_FILTER_BYTES, MAX_FILTER_VALUES } from '../../shared/contract/report/report-filter.ts';
import { MAX_PAGE_SIZE, MAX_REPORT_DAYS } from '../../shared/contract/report/report-limits.ts';
import { MAX_FILE_PAGE_SIZE, MAX_FILTERS, submitReportInput } from '../../shared/contract/report/report-request.ts';
import { MAX_RESPONSE_BYTES } from '../../shared/http/format/content-coding.ts';
import { MAX_BODY_BYTES } from '../../shared/http/json-body.ts';
import { PROBLEMS } from '../../shared/lib/errors.ts';
import { MAX_TEXT_UNITS } from '../../shared/lib/shape-rows.ts';
import { MAX_CELLS, MAX_NAMES, MAX_VALUES } from '../../shared/report/query/too-expensive.ts';
import { MAX_SECONDS } from '../../shared/report/reject-too-expensive.ts';
import { MAX_BYTES } from '../../shared/report/scan/within-limits.ts';
import { RECIPES, tableUnder } from './readme.ts';

test('the table of errors in functions/README.md has every code with its status', () => {
  const documented = tableUnder('| Status | Code | What to do |').map(([status, code]) => [code, Number(status)]);
  expect(documented).toEqual(Object.entries(PROBLEMS).map(([code, { status }]) => [`\`${code}\``, status]));
});

test('the table of operators in functions/README.md has every operator with its number of values', () => {
  const documented = tableUnder('| Operator | Values | Selects |').flatMap(([names = '', values]) =>
    names.split(', ').map((name) => [name, values]),
  );
  const counts = { none: 'none (`[]`)', one: 'one', two: 'two', some: 'one or more' };
  expect(documented).toEqual(Object.entries(OPERATORS).map(([name, { arity }]) => [`\`${name}\``, counts[arity]]));
});

test('the table of limits in functions/README.md has the limits of the code', () => {
  const limits = Object.fromEntries(tableUnder('| Limit | Value |'));
  expect(limits).toMatchObject({
    'days per report': MAX_REPORT_DAYS.toLocaleString('en-US'),
    'rows per page of a report': MAX_PAGE_SIZE.toLocaleString('en-US'),
    'rows per page of a report as CSV or Arrow': MAX_FILE_PAGE_SIZE.toLocaleString('en-US'),
    'filters per report': MAX_FILTERS.toLocaleString('en-US'),
    'values per filter': MAX_FILTER_VALUES.toLocaleString('en-US'),
    'bytes of the values of all filters, in UTF-8': MAX_FILTER_BYTES.toLocaleString('en-US'),
    'bytes per request body': MAX_BODY_BYTES.toLocaleString('en-US'),
    'bytes per response of a report or a listing': MAX_RESPONSE_BYTES.toLocaleString('en-US'),
    'characters of the texts in a page of a report (UTF-16 code units)': MAX_TEXT_UNITS.toLocaleString('en-US'),
    'invalid fields listed per response': MAX_LISTED_FIELDS.toLocaleString('en-US'),
    'estimated time of a report': `${MAX_SECONDS} seconds`,
    'distinct values of a dimension in a report': MAX_VALUES.toLocaleString('en-US'),
    'names that a report looks up': MAX_NAMES.toLocaleString('en-US'),
    'sums of a report, with 6 for each row': MAX_CELLS.toLocaleString('en-US'),
    'memory while a report is computed': `${MAX_BYTES.toLocaleString('en-US')} bytes`,
  });
});

test('the cookbook has recipes', () => {
  expect(RECIPES).not.toEqual([]);
});

test.each(RECIPES)('the request of recipe $title is valid', ({ path, request }) => {
  const [, experience_name] = /^\/report\/(\w+)$/.exec(path) ?? [];
  expect(z.safeParse(submitReportInput.path, { experience_name }).error).toBeUndefined();
  expect(z.safeParse(submitReportInput.body, JSON.parse(request)).error).toBeUndefined();
});
