import { afterAll, describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { GOOD_REPORT } from '../../support/report-settings.ts';
import { problem } from '../support/expected.ts';
import { reportRequest, withoutIds } from '../support/gateway-event.ts';
import { openTestService } from '../support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const SORT = { field: 'clicks', order: 'ASC' };

const submit = (body: string, experience = 'pla') =>
  instance.send('submit-report', reportRequest(body, { experience }));

describe('the rejection of a report request', () => {
  test('reports all problems of a request together, including those of the path', async () => {
    const body = {
      filters: [{ field: 'clicks', operator: 'BETWEEN', values: ['a'] }, { field: 'nope' }],
      startDate: '2026-02-30',
      endDate: 'x',
      pagination: { size: 0, page: 1 },
      advertiserIds: [null],
      metrics: ['clicks', 'clicks', 7],
      dimensions: 'hour',
      'a/b~c': 1,
    };
    const response = await submit(JSON.stringify(body), 'plaa');
    const { detail, errors } = Object(response.body);
    expect(errors.map((field: Record<string, string>) => `${field.in} ${field.pointer} ${field.code}`)).toEqual([
      'path experience_name NOT_ALLOWED',
      'body /filters/0/values WRONG_COUNT',
      'body /filters/0/values/0 WRONG_FORMAT',
      'body /filters/1/field NOT_ALLOWED',
      'body /filters/1/operator REQUIRED',
      'body /filters/1/values REQUIRED',
      'body /startDate NO_SUCH_DATE',
      'body /endDate WRONG_FORMAT',
      'body /pagination/offset REQUIRED',
      'body /pagination/size OUT_OF_RANGE',
      'body /pagination/page UNKNOWN_MEMBER',
      'body /advertiserIds/0 WRONG_TYPE',
      'body /metrics/2 NOT_ALLOWED',
      'body /metrics/1 DUPLICATE',
      'body /dimensions WRONG_TYPE',
      'body /sort REQUIRED',
      'body /a~1b~0c UNKNOWN_MEMBER',
    ]);
    expect(detail).toBe('17 fields are invalid; see errors.');
  });

  test.each<[string, Readonly<Record<string, unknown>>, string[]]>([
    [
      'neither metrics nor dimensions are requested',
      { metrics: [], dimensions: [] },
      [
        '/sort/1/order NOT_ALLOWED Did you mean "ASC"? Must be ASC or DESC.',
        '/metrics NOTHING_REQUESTED Request at least one metric or dimension; metrics and dimensions are both [].',
        '/sort/0/field NOT_REQUESTED Sort only by requested fields (none are requested); to sort by clicks, request it.',
        '/sort/1/field DUPLICATE Sort by each field only once; clicks is already in the list.',
      ],
    ],
    [
      'metrics is not a list',
      { metrics: 'clicks' },
      [
        `/metrics WRONG_TYPE Must be a list of at most ${METRIC_NAMES.length} metrics, without duplicates.`,
        '/sort/1/order NOT_ALLOWED Did you mean "ASC"? Must be ASC or DESC.',
        '/sort/1/field DUPLICATE Sort by each field only once; clicks is already in the list.',
      ],
    ],
  ])('includes the problems of sort even if %s', async (_, change, fields) => {
    const sort = [
      { field: 'clicks', order: 'ASC' },
      { field: 'clicks', order: 'asc' },
    ];
    const { body } = await submit(JSON.stringify({ ...GOOD_REPORT, ...change, sort }));
    const detail = `${fields.length} fields are invalid; see errors.`;
    expect(withoutIds(body)).toEqual(problem('INVALID_REQUEST', detail, '/v2/report/pla', 'body', fields));
  });

  test.each([
    ['150 unknown members', Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`m${index}`, 1])), 101],
    ['250,000 wrong members of a list, which are not all counted', { advertiserIds: Array(250_000).fill(0.5) }, 101],
    [
      '150 wrong values of a filter',
      { filters: [{ field: 'hour', operator: 'IN', values: Array(150).fill('x') }] },
      101,
    ],
  ])('lists the first 100 problems and says that there are more: %s', async (_, change, count) => {
    const response = await submit(JSON.stringify({ ...GOOD_REPORT, ...change }));
    expect(Object(response.body).detail).toBe(`At least ${count} fields are invalid; errors lists the first 100.`);
    expect(Object(response.body).errors).toHaveLength(100);
  });

  test.each([
    ['metrics', JSON.stringify({ ...GOOD_REPORT, metrics: Array(260_000).fill('a') })],
    [
      'values',
      JSON.stringify({ ...GOOD_REPORT, filters: [{ field: 'hour', operator: 'IN', values: Array(500_000).fill(1) }] }),
    ],
    ['advertiserIds', JSON.stringify({ ...GOOD_REPORT, advertiserIds: Array(250_000).fill(0.5) })],
    ['members', JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [index, 1])))],
    ['name of a member', JSON.stringify({ ...GOOD_REPORT, [`~${'/'.repeat(1_000_000)}`]: 1 })],
    ['metric', JSON.stringify({ ...GOOD_REPORT, metrics: ['x'.repeat(1_000_000)] })],
    ['date', JSON.stringify({ ...GOOD_REPORT, startDate: `today-${'1'.repeat(1_000_000)}` })],
    ['comparison', JSON.stringify({ ...GOOD_REPORT, compare: 'x'.repeat(1_000_000) })],
    ['value to sort by', JSON.stringify({ ...GOOD_REPORT, sort: [{ ...SORT, by: 'x'.repeat(1_000_000) }] })],
    ['text that is not closed', `{"startDate": "${'x'.repeat(1_000_000)}`],
    ['nesting', `{"filters":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ])('stays small for a megabyte of wrong %s', async (kind, body) => {
    const response = await submit(body);
    expect(response.status).toBe(['nesting', 'text that is not closed'].includes(kind) ? 400 : 422);
    expect(response.text.length).toBeLessThan(40_000);
  });
});

test('a misspelt name gets the suggestion first, and at most ten names', async () => {
  const { body } = await submit(JSON.stringify({ ...GOOD_REPORT, metrics: ['clikcs'] }));
  const [{ detail }] = Object(body).errors;
  expect(detail).toMatch(
    /^Did you mean "clicks"\? Must be one of the metrics of GET \/metadata\/fields: (\w+, ){10}…\.$/,
  );
});
