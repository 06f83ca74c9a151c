import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { DATE_FORMS } from '../../../shared/lib/relative-date.ts';
import { GOOD_REPORT } from '../../support/report-settings.ts';
import { problem, REPORT_MEMBERS, type WrongField } from '../support/expected.ts';
import { reportRequest, withoutIds } from '../support/gateway-event.ts';
import { openTestService } from '../support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const firstTen = (names: readonly string[]) => `${names.slice(0, 10).join(', ')}, …`;

/** Texts that many cases of the file have, by the name that stands for them. */
const TEXTS: Readonly<Record<string, string>> = {
  metrics: firstTen(METRIC_NAMES),
  dimensions: firstTen(DIMENSION_NAMES),
  field: `Must be the name of a metric or of a dimension of GET /metadata/fields: ${firstTen(METRIC_NAMES)}.`,
  operator:
    'Must be one of EQUALS, IN, NOT_EQUALS, NOT_IN, GREATER_THAN, GREATER_THAN_OR_EQUAL, LESS_THAN, LESS_THAN_OR_EQUAL, BETWEEN, CONTAINS, NOT_CONTAINS, STARTS_WITH, LIKE, LIKE_IN, NOT_LIKE, IS_NULL, NOT_NULL.',
  date: DATE_FORMS,
  comparison:
    'one of previousPeriod, previousPeriodByWeekday, previousYear, previousYearByWeekday, previousMonth, or an object with the members startDate and endDate',
  members: REPORT_MEMBERS,
};

type Case = readonly [title: string, change: Readonly<Record<string, unknown>>, field: WrongField];

/** A case has three lines: its title, what it changes in a good report, and the wrong field with what is allowed. */
const IN_FILE = readFileSync(join(import.meta.dirname, 'report-rejections.txt'), 'utf8')
  .trimEnd()
  .split('\n\n')
  .map((lines): Case => {
    const [title = '', change = '', field = ''] = lines.split('\n');
    return [title, JSON.parse(change), field.replaceAll(/\{(\w+)\}/g, (_, name) => TEXTS[name] ?? `no text ${name}`)];
  });

const REQUIRED = {
  startDate: DATE_FORMS,
  endDate: DATE_FORMS,
  metrics: `a list of at most ${METRIC_NAMES.length} metrics, without duplicates`,
  dimensions: `a list of at most ${DIMENSION_NAMES.length} dimensions, without duplicates`,
};
const ABSENT = Object.entries(REQUIRED).map(
  ([name, form]): Case => [`no ${name}`, { [name]: undefined }, `/${name} REQUIRED Required: ${form}.`],
);

const filters = (count: number, operator: string, ...values: string[]) => ({
  filters: Array(count).fill({ field: 'keyword', operator, values }),
});
const BYTES = 'OUT_OF_RANGE The values of all filters may have at most 65,536 bytes together; these have';
const LARGE: readonly Case[] = [
  [
    '1,001 values in a filter',
    filters(1, 'LIKE_IN', ...Array(1_001).fill('%')),
    '/filters/0/values OUT_OF_RANGE Must be a list of at most 1,000 strings, [] for IS_NULL and NOT_NULL; this list has 1001.',
  ],
  // 900,000 wildcards in one pattern once kept a function busy until it was killed
  ['one value of 65,537 bytes', filters(1, 'LIKE', '%'.repeat(65_537)), `/filters ${BYTES} 65,537.`],
  [
    'values of all filters together that have more than 65,536 bytes in UTF-8',
    filters(66, 'NOT_LIKE', ...Array(10).fill('é'.repeat(50))),
    `/filters ${BYTES} 66,000.`,
  ],
  ['too many filters', filters(101, 'EQUALS', '1'), '/filters OUT_OF_RANGE Must be a list of at most 100 filters.'],
];

test.each([...ABSENT, ...IN_FILE, ...LARGE])(
  'a report with %s is rejected, and the response states what is allowed',
  async (_, change, field) => {
    const request = reportRequest(JSON.stringify({ ...GOOD_REPORT, ...change }));
    const { status, body } = await instance.send('submit-report', request);
    expect(status).toBe(422);
    expect(withoutIds(body)).toEqual(
      problem('INVALID_REQUEST', 'One field is invalid; see errors.', '/v2/report/pla', 'body', [field]),
    );
  },
);
