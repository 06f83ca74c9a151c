import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ROUTES } from '../../infra/routes.ts';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { SKETCH_STANDARD_ERROR } from '../../shared/columns/sketch.ts';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';
import { OPERATIONS } from '../../shared/contract/openapi/operations.ts';
import { ReportRequest } from '../../shared/contract/report/report-request.ts';
import { PROBLEMS } from '../../shared/lib/errors.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

// what is looked at here has no type of its own: it is JSON
const document = JSON.parse(JSON.stringify(buildOpenApi(ROUTES, { version: '1.2.3' })));
const { schemas } = document.components;

interface OperationView {
  readonly operationId: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    schema: SchemaView;
    description: string;
    example: unknown;
  }[];
  readonly requestBody?: object;
  readonly security?: object;
  readonly responses: Readonly<Record<string, { headers: object; content: Readonly<Record<string, MediaView>> }>>;
}

interface SchemaView {
  readonly type: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

interface MediaView {
  readonly schema: object;
  readonly example: unknown;
  readonly examples: object;
}

const paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>> = document.paths;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [path, method, operation] as const),
);

const words = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

test('as the command line writes it, passes the linter’s recommended rules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    await run(process.execPath, [join(ROOT, 'infra/cli/openapi.ts'), '--server', '/v2', '--out', file]);
    const written = JSON.parse(await readFile(file, 'utf8'));
    expect({ ...written, info: { ...written.info, version: '1.2.3' } }).toEqual(document);
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stderr } = await run(join(ROOT, 'node_modules/.bin/redocly'), ['lint', file], { env, cwd: folder });
    expect(stderr).toContain('Your API description is valid');
    expect(stderr).not.toContain('Warning was generated');
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('the operations', () => {
  test('are the routes, and each operation of the contract has its route', () => {
    expect(operations.map(([path, method, { operationId }]) => [operationId, method.toUpperCase(), path])).toEqual(
      ROUTES.map(({ id, method, path }) => [id, method, path]),
    );
    expect(Object.keys(OPERATIONS).sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });

  test('"All endpoints are GET except report submission (POST). No request body except on report submission"', () => {
    const withBody = operations.filter(([, , operation]) => operation.requestBody !== undefined);
    expect(operations.filter(([, method]) => method !== 'get')).toEqual(withBody);
    expect(withBody.map(([path]) => path)).toEqual(['/report/{experience_name}']);
  });

  test('every parameter has a description, an example, and bounds where it is a number with bounds', () => {
    const parameters = operations.flatMap(([, , operation]) => operation.parameters ?? []);
    const short = parameters.map(({ name, in: place, required, schema, description, example }) => {
      expect([typeof description, example === undefined]).toEqual(['string', false]);
      const { type, minimum, maximum, default: fallback } = schema;
      return [name, place, required, type, minimum, maximum, fallback].map((it) => it ?? '-').join(' ');
    });
    expect([...new Set(short)].sort()).toEqual([
      'account_id query true integer - - -',
      'ad_group_id path true integer - - -',
      'experience_name path true string - - -',
      'item_offset query false integer 0 9007199254740991 0',
      'offset query false integer 0 9007199254740991 0',
      'page_size query false integer 100 100 100',
      'size query false integer 1 100 10',
    ]);
  });

  test('every error answer a code stands for is documented somewhere, with the headers it has', () => {
    const shown = new Set<string>();
    const headers: Record<string, string[]> = {};
    for (const [, , { responses }] of operations) {
      for (const [status, response] of Object.entries(responses)) {
        if (status === '200') continue;
        headers[status] = Object.keys(response.headers).filter((name) => !/^x-request-id$|^Cache/.test(name));
        const content = response.content['application/problem+json'];
        expect(content?.schema).toEqual({ $ref: '#/components/schemas/Problem' });
        for (const code of Object.keys(content?.examples ?? {})) shown.add(code);
      }
    }
    // NOT_FOUND is what the gateway answers for a path that is no operation
    expect([...shown, 'NOT_FOUND'].sort()).toEqual(Object.keys(PROBLEMS).sort());
    expect(headers).toEqual({
      400: [],
      401: ['x-amzn-Remapped-WWW-Authenticate'],
      403: [],
      404: [],
      405: ['Allow'],
      413: [],
      415: ['Accept'],
      422: [],
      429: ['Retry-After'],
      500: [],
      503: ['Retry-After'],
      504: [],
    });
  });

  test('"Two API key schemes are defined for the interface", a request carries the key in one of them, on every endpoint', () => {
    const { apiKeyHeader, apiKeyQuery, bearer } = document.components.securitySchemes;
    expect([apiKeyHeader, apiKeyQuery].map(({ type, in: place, name }) => [type, place, name])).toEqual([
      ['apiKey', 'header', 'Ocp-Apim-Subscription-Key'],
      ['apiKey', 'query', 'subscription-key'],
    ]);
    expect(bearer).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
    expect(document.security.map((it: object) => Object.keys(it).join('+'))).toEqual([
      'apiKeyHeader',
      'apiKeyQuery',
      'apiKeyHeader+bearer',
      'apiKeyQuery+bearer',
    ]);
    expect(operations.filter(([, , operation]) => operation.security !== undefined)).toEqual([]);
  });
});

describe('the examples', () => {
  const { report, request } = examplesOf(document);

  test('of every good answer are such as its schema takes, and of a request such as is taken', () => {
    const answers = operations.map(([, , { operationId, responses }]) => {
      const example = responses[200]?.content['application/json']?.example;
      return [operationId, OPERATIONS[operationId]?.answer.safeParse(example).error];
    });
    expect(answers).toEqual(ROUTES.map(({ id }) => [id, undefined]));
    expect(z.safeParse(ReportRequest, request).error).toBeUndefined();
  });

  test('of a report is what its request may be answered', () => {
    const names = report.headers.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...request.dimensions, ...request.metrics]);
    expect(report.headers.map(({ role }: { role: string }) => role)).toEqual(['dimension', ...Array(4).fill('metric')]);
    expect(report.totalCount).toBe(report.data.length);
    const sums = { impressions: 0, clicks: 0, cost: 0 };
    for (const row of report.data) {
      expect(Object.keys(row)).toEqual(names);
      expect(row.click_through_rate).toBe(row.clicks / row.impressions);
      for (const name of ['impressions', 'clicks', 'cost'] as const) sums[name] += row[name];
    }
    expect(report.totals).toEqual({ ...sums, click_through_rate: sums.clicks / sums.impressions });
    expect(report.data.map(({ cost }: { cost: number }) => cost)).toEqual([480.5, 310.25]);
    expect(report.meta.dataCompleteThrough).toBe(request.endDate);
  });

  test('of the token is one with the claims of the example beside it', () => {
    const [{ token, expiresAt }, claims] = ['/jwt', '/jwt/claims'].map((path) => answerExample(document, path, 'get'));
    const [, payload = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims);
    expect(Date.parse(expiresAt) / 1000).toBe(claims.exp);
  });

  test('of a report are of the days that are given, and otherwise the same in every document', () => {
    const examplePeriod = { startDate: '2026-11-13', endDate: '2026-11-19' };
    const other = examplesOf(buildOpenApi(ROUTES, { version: '1.2.3', examplePeriod }));
    expect(other.request).toEqual({ ...request, ...examplePeriod });
    expect(other.report).toEqual({
      ...report,
      meta: { ...report.meta, dataCompleteThrough: examplePeriod.endDate },
    });
  });
});

describe('the schemas', () => {
  test('"Envelope names by endpoint", each with data and meta, both required', () => {
    const names = ['Account', 'Advertiser', 'AdvertiserContact', 'AdvertiserAddress', 'Placement', 'Product'];
    const envelopes = names.map((name) => [name, schemas[`${name}Response`]]);
    for (const [name, envelope] of envelopes) {
      expect(envelope.required).toEqual(['data', 'meta']);
      expect(envelope.properties.data.items).toEqual({ $ref: `#/components/schemas/${name}` });
    }
    expect(envelopes).toHaveLength(6);
  });

  test('Account: id integer, name string and active boolean, default true, none of them required', () => {
    const { properties, required } = schemas.Account;
    expect(required ?? []).toEqual([]);
    expect(
      Object.entries<Record<string, unknown>>(properties).map(([name, it]) => [name, it.type, it.default]),
    ).toEqual([
      ['id', 'integer', undefined],
      ['name', 'string', undefined],
      ['active', 'boolean', true],
    ]);
  });

  test('ReportRequest: the eight members, all required, nothing else', () => {
    const { properties, required, additionalProperties } = schemas.ReportRequest;
    const members = ['filters', 'startDate', 'endDate', 'pagination', 'advertiserIds', 'metrics', 'dimensions', 'sort'];
    expect({ properties: Object.keys(properties), required, additionalProperties }).toEqual({
      properties: members,
      required: members,
      additionalProperties: false,
    });
  });

  test('ReportResultResponse: headers, data and totalCount are required', () => {
    expect(schemas.ReportResultResponse.required).toEqual(expect.arrayContaining(['headers', 'data', 'totalCount']));
  });

  test('ErrorDateTime: "value" and "timezone", both required strings', () => {
    const { properties, required } = schemas.ErrorDateTime;
    expect(required).toEqual(['value', 'timezone']);
    expect([properties.value.type, properties.timezone.type]).toEqual(['string', 'string']);
  });

  test('every warning of a report has a code that is listed and described', () => {
    const { code } = schemas.ReportWarning.properties;
    expect(code.enum).toEqual([
      'NOT_IN_EXPERIENCE',
      'NOT_AT_THIS_GRAIN',
      'SEVERAL_AD_GROUPS',
      'SEVERAL_CAMPAIGNS',
      'CAMPAIGN_BUDGETS_LEFT_OUT',
      'DATA_ENDS_EARLIER',
      'NO_TOTAL_WITH_METRIC_FILTER',
    ]);
    expect(Object.keys(code['x-enum-descriptions'])).toEqual(code.enum);
  });

  test('unique users are said to be exact, here and in README.md, up to as many as they are', () => {
    // a sketch keeps n + 2 hashes where its standard error is 1 / √n, and twice as many before it becomes one
    const exact = (2 * Math.round(1 / SKETCH_STANDARD_ERROR ** 2 + 2)).toLocaleString('en-US');
    const { description } = schemas.ReportHeader.properties.standardError;
    expect(description).toBe(`Relative standard error of values above ${exact}; smaller ones are exact.`);
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    expect(readme).toContain(`**Unique users** are exact up to ${exact} users a group`);
  });

  test('every problem code and every field code is described', () => {
    const { code } = schemas.Problem.properties;
    expect(code.enum).toEqual(Object.keys(PROBLEMS));
    expect(Object.keys(code['x-enum-descriptions'])).toEqual(code.enum);
    const field = schemas.FieldProblem.properties.code;
    expect(Object.keys(field['x-enum-descriptions'])).toEqual(field.enum);
  });
});

describe('metrics and dimensions', () => {
  test('the metrics are those of "Allowed metric values", each described, with where it has a meaning', () => {
    expect(schemas.Metric.enum).toEqual(words(ALLOWED_METRICS));
    expect(METRIC_NAMES).toEqual(words(ALLOWED_METRICS));
    expect(Object.keys(schemas.Metric['x-enum-descriptions'])).toEqual(schemas.Metric.enum);
    const meaning = schemas.Metric['x-endcap-meaning'];
    expect(Object.keys(meaning)).toEqual(schemas.Metric.enum);
    expect(meaning.clicks).toEqual({
      experiences: ['pla', 'toa', 'carousel'],
      notBy: ['conversion_source', 'purchased_entity_id', 'purchased_entity_name'],
    });
    expect(meaning.win_rate.experiences).toEqual(['pla', 'carousel']);
    expect(schemas.Metric.description).toContain('- `video_starts` — Video starts');
  });

  test('the dimensions are those of "Allowed dimension values", each described', () => {
    expect(schemas.Dimension.enum).toEqual(words(ALLOWED_DIMENSIONS));
    expect(DIMENSION_NAMES).toEqual(words(ALLOWED_DIMENSIONS));
    expect(Object.keys(schemas.Dimension['x-enum-descriptions'])).toEqual(schemas.Dimension.enum);
  });
});

test('a route that is no operation of the contract is refused', () => {
  const row = { id: 'deleteAll', method: 'DELETE', path: '/all' };
  expect(() => buildOpenApi([row], { version: '1' })).toThrow('no operation deleteAll');
});

/** @param of the document; JSON, which has no type of its own */
function examplesOf(of: { readonly paths: object }) {
  const { post } = JSON.parse(JSON.stringify(of.paths))['/report/{experience_name}'];
  const request = post.requestBody.content['application/json'].example;
  return { request, report: answerExample(of, '/report/{experience_name}', 'post') };
}

function answerExample(of: { readonly paths: object }, path: string, method: string) {
  return JSON.parse(JSON.stringify(of.paths))[path][method].responses[200].content['application/json'].example;
}

const ALLOWED_METRICS =
  '`unique_user_conversions`, `unique_user_impressions`, `viewed_conversion_rate`, `viewed_unit_price_avg`, `click_through_rate`, `clicked_conversion_rate`, `clicked_order_value_avg`, `clicked_unit_price_avg`, `clicks`, `viewed_order_value_avg`, `cost`, `cost_per_click`, `cost_per_transaction`, `cost_per_thousand`, `halo_revenue`, `halo_exposed_revenue`, `halo_roas`, `halo_exposed_roas`, `halo_transactions`, `halo_exposed_transactions`, `halo_units`, `halo_exposed_units`, `impressions`, `ad_group_budget`, `ad_group_budget_type`, `ad_group_end_date`, `ad_group_start_date`, `ad_group_status`, `campaign_budget`, `campaign_budget_type`, `campaign_end_date`, `campaign_start_date`, `campaign_status`, `pacing`, `win_rate`, `hours_live`, `opportunities`, `share_of_voice`, `time_live`, `video_starts`, `video_pauses`, `video_completes`, `video_total_duration`, `video_average_duration_viewed`, `video_first_quartile_views`, `video_first_quartile_view_rate`, `video_second_quartile_views`, `video_second_quartile_view_rate`, `video_third_quartile_views`, `video_third_quartile_view_rate`, `video_complete_view_rate`, `video_view_through_rate`';

const ALLOWED_DIMENSIONS =
  '`placement`, `division_banner`, `keyword`, `ad_group_id`, `ad_group_name`, `advertiser_id`, `advertiser_name`, `campaign_id`, `campaign_name`, `conversion_source`, `daily_date`, `entity_id`, `entity_name`, `purchased_entity_id`, `purchased_entity_name`, `hour`, `accounts`, `ad_group_short_id`, `advertiser_type`, `billings`, `brand`, `brand_names`, `campaign_short_id`, `experience_name`, `io_line_item_amount`, `io_line_item_name`, `io_line_item_number`, `io_name`, `io_number`, `io_remaining_amount`, `io_total_amount`, `month_date`, `primaryAccountName`, `purchase_order_number`, `week_date`, `commodity`, `commodity_id`, `department`, `department_id`, `sub_commodity`, `sub_commodity_id`, `creative_key`, `creative_name`, `segment_ids`, `entity_group`, `entity_group_id`';
