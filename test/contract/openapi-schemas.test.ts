import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES } from '../../shared/catalog/operators.ts';
import { SKETCH_STANDARD_ERROR } from '../../shared/columns/sketch.ts';
import { ReportRequest } from '../../shared/contract/report/report-request.ts';
import { PROBLEMS } from '../../shared/lib/errors.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { document, schemas } from './openapi-document.ts';

const ROOT = join(import.meta.dirname, '../..');

const words = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

/** Titles quote the contract of the API, whose lists of values are at the end of this file. */
describe('the schemas', () => {
  test('have the names in "Envelope names by endpoint", each with data and meta, both required', () => {
    const names = ['Account', 'Advertiser', 'AdvertiserContact', 'AdvertiserAddress', 'Placement', 'Product'];
    for (const name of names) {
      const envelope = schemas[`${name}Response`];
      expect(envelope.required).toEqual(['data', 'meta']);
      expect(envelope.properties.data.items).toEqual({ $ref: `#/components/schemas/${name}` });
    }
  });

  test('Account has the integer id, the string name and the boolean active, default true, none of them required', () => {
    const { properties, required } = schemas.Account;
    expect(required ?? []).toEqual([]);
    expect(
      Object.entries<Record<string, unknown>>(properties).map(([name, member]) => [name, member.type, member.default]),
    ).toEqual([
      ['id', 'integer', undefined],
      ['name', 'string', undefined],
      ['active', 'boolean', true],
    ]);
  });

  test('have numbers of 64 bits, which generators of clients take only by the format', () => {
    const formats: (readonly [string, unknown])[] = [];
    JSON.stringify(schemas, (_key, value) => {
      const types = [value?.type].flat();
      const [expected] = types.includes('integer') ? ['int64'] : types.includes('number') ? ['double'] : [];
      if (expected !== undefined) formats.push([expected, value.format]);
      return value;
    });
    expect(formats.length).toBeGreaterThan(80);
    expect(formats.filter(([expected, format]) => format !== expected)).toEqual([]);
  });

  test('have fractions as relative changes of rows and totals, also of integers such as clicks', () => {
    const reference = { $ref: '#/components/schemas/RelativeChanges' };
    expect(schemas.ReportRow.properties.relativeChange).toEqual(reference);
    expect(schemas.ReportResultResponse.properties.relativeChangeTotals).toMatchObject(reference);
    expect(schemas.RelativeChanges.properties.clicks).toEqual({ type: ['number', 'null'], format: 'double' });
  });

  test('ReportRequest has the eight required members of the contract, the optional compare and validateOnly, and no others', () => {
    const { properties, required, additionalProperties } = schemas.ReportRequest;
    const members = ['filters', 'startDate', 'endDate', 'pagination', 'advertiserIds', 'metrics', 'dimensions', 'sort'];
    expect({ properties: Object.keys(properties), required, additionalProperties }).toEqual({
      properties: [...members, 'compare', 'validateOnly'],
      required: members,
      additionalProperties: false,
    });
  });

  test('ReportRequest says that metrics and dimensions must not both be empty, and how many values each operator takes', () => {
    const ajv = new Ajv2020.default({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.addSchema(document, 'openapi').getSchema('openapi#/components/schemas/ReportRequest');
    const fields = [
      { metrics: ['clicks'], dimensions: [] },
      { metrics: [], dimensions: ['keyword'] },
      { metrics: [], dimensions: [] },
    ];
    const filters = OPERATOR_NAMES.flatMap((operator) =>
      [0, 1, 2, 3, 1_000, 1_001].map((count) => ({
        filters: [{ field: 'keyword', operator, values: Array(count).fill('7') }],
      })),
    );
    const requests = [...fields, ...filters].map((change) => ({ ...GOOD_REPORT, ...change }));
    const byDocument = requests.map((request) => validate?.(request));
    expect(byDocument).toEqual(requests.map((request) => ReportRequest.safeParse(request).success));
    expect(byDocument).toContain(false);
  });

  test('ReportResultResponse requires headers, data and totalCount', () => {
    expect(schemas.ReportResultResponse.required).toEqual(expect.arrayContaining(['headers', 'data', 'totalCount']));
  });

  test('ErrorDateTime has "value" and "timezone", both required strings', () => {
    const { properties, required } = schemas.ErrorDateTime;
    expect(required).toEqual(['value', 'timezone']);
    expect([properties.value.type, properties.timezone.type]).toEqual(['string', 'string']);
  });

  test('ReportWarning lists and describes all warning codes', () => {
    const { code } = schemas.ReportWarning.properties;
    expect(code['x-extensible-enum']).toEqual([
      'NO_DATA_IN_PERIOD',
      'MISSING_DAYS',
      'DAY_NOT_ENDED',
      'UNEQUAL_PERIODS',
      'TABLE_LACKS_DAYS',
      'NOT_MEASURED',
      'NO_ROWS',
      'METHOD_CHANGES',
      'PARTIAL_UNIT',
      'NOT_IN_EXPERIENCE',
      'NOT_IN_ALL_EXPERIENCES',
      'NOT_AT_THIS_GRAIN',
      'SEVERAL_AD_GROUPS',
      'SEVERAL_CAMPAIGNS',
      'WITHOUT_USER_IDS',
      'FEW_USERS',
      'SHARED_NAME',
      'CAMPAIGN_BUDGETS_LEFT_OUT',
      'PLAN_OF_IDLE',
      'DATA_ENDS_EARLIER',
      'PART_OF_THE_MARKET',
      'NO_OWN_IMPRESSIONS',
      'NO_TOTAL_WITH_METRIC_FILTER',
      'VALUE_CANNOT_OCCUR',
      'VALUE_NOT_FOUND',
      'EMPTY_RANGE',
    ]);
    expect(code['x-enum-descriptions']).toHaveLength(code['x-extensible-enum'].length);
  });

  test('of responses have no closed enumeration and allow further members, and those of requests do not', () => {
    const requested = new Set<string>();
    const collect = (name: string) => {
      if (requested.has(name)) return;
      requested.add(name);
      for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g))
        collect(other);
    };
    for (const name of ['ReportRequest', 'Experience']) collect(name);
    const isClosed = (name: string) =>
      /"enum":|"const":|"additionalProperties":false/.test(JSON.stringify(schemas[name]));
    expect(Object.keys(schemas).filter(isClosed).sort()).toEqual([...requested].sort());
  });

  test('ReportHeader states the number up to which unique users are exact, as does functions/README.md', () => {
    // a sketch with a standard error of 1 / √n has n + 2 hashes, and the exact set it is made from has at most twice as many
    const exact = (2 * Math.round(1 / SKETCH_STANDARD_ERROR ** 2 + 2)).toLocaleString('en-US');
    const { description } = schemas.ReportHeader.properties.standardError;
    expect(description).toBe(
      `Relative standard error of values of more than ${exact} users; others are exact. Only of columns that have such values, in rows or totals.`,
    );
    const page = readFileSync(join(ROOT, 'functions/README.md'), 'utf8');
    expect(page).toContain(`exact up to ${exact} users per row`);
  });

  test('Problem and FieldProblem describe all codes', () => {
    const { code } = schemas.Problem.properties;
    expect(code['x-extensible-enum']).toEqual(Object.keys(PROBLEMS));
    expect(code['x-enum-descriptions']).toHaveLength(code['x-extensible-enum'].length);
    const field = schemas.FieldProblem.properties.code;
    expect(field['x-enum-descriptions']).toHaveLength(field['x-extensible-enum'].length);
  });
});

describe('metrics and dimensions', () => {
  test('the metrics are the "Allowed metric values" and those that the service adds, each with a description, and with experiences and dimensions', () => {
    expect(schemas.Metric.enum).toEqual(METRIC_NAMES);
    expect(METRIC_NAMES).toEqual(expect.arrayContaining(words(ALLOWED_METRICS)));
    expect(schemas.Metric['x-enum-descriptions']).toHaveLength(schemas.Metric.enum.length);
    const meaning = schemas.Metric['x-endcap-meaning'];
    expect(Object.keys(meaning)).toEqual(schemas.Metric.enum);
    expect(meaning.clicks).toEqual({
      experiences: ['pla', 'toa', 'carousel'],
      notBy: ['purchased_entity_name', 'purchased_entity_id', 'purchased_brand', 'conversion_source'],
    });
    expect(meaning.win_rate.experiences).toEqual(['pla', 'carousel']);
    expect(schemas.Metric.description).toContain('- `video_starts` — Video starts');
  });

  test('the dimensions are the "Allowed dimension values" and those that the service adds, each with a description', () => {
    expect(schemas.Dimension.enum).toEqual(DIMENSION_NAMES);
    expect(DIMENSION_NAMES).toEqual(expect.arrayContaining(words(ALLOWED_DIMENSIONS)));
    expect(schemas.Dimension['x-enum-descriptions']).toHaveLength(schemas.Dimension.enum.length);
  });
});

const ALLOWED_METRICS =
  '`unique_user_conversions`, `unique_user_impressions`, `viewed_conversion_rate`, `viewed_unit_price_avg`, `click_through_rate`, `clicked_conversion_rate`, `clicked_order_value_avg`, `clicked_unit_price_avg`, `clicks`, `viewed_order_value_avg`, `cost`, `cost_per_click`, `cost_per_transaction`, `cost_per_thousand`, `halo_revenue`, `halo_exposed_revenue`, `halo_roas`, `halo_exposed_roas`, `halo_transactions`, `halo_exposed_transactions`, `halo_units`, `halo_exposed_units`, `impressions`, `ad_group_budget`, `ad_group_budget_type`, `ad_group_end_date`, `ad_group_start_date`, `ad_group_status`, `campaign_budget`, `campaign_budget_type`, `campaign_end_date`, `campaign_start_date`, `campaign_status`, `pacing`, `win_rate`, `hours_live`, `opportunities`, `share_of_voice`, `time_live`, `video_starts`, `video_pauses`, `video_completes`, `video_total_duration`, `video_average_duration_viewed`, `video_first_quartile_views`, `video_first_quartile_view_rate`, `video_second_quartile_views`, `video_second_quartile_view_rate`, `video_third_quartile_views`, `video_third_quartile_view_rate`, `video_complete_view_rate`, `video_view_through_rate`';

const ALLOWED_DIMENSIONS =
  '`placement`, `division_banner`, `keyword`, `ad_group_id`, `ad_group_name`, `advertiser_id`, `advertiser_name`, `campaign_id`, `campaign_name`, `conversion_source`, `daily_date`, `entity_id`, `entity_name`, `purchased_entity_id`, `purchased_entity_name`, `hour`, `accounts`, `ad_group_short_id`, `advertiser_type`, `billings`, `brand`, `brand_names`, `campaign_short_id`, `experience_name`, `io_line_item_amount`, `io_line_item_name`, `io_line_item_number`, `io_name`, `io_number`, `io_remaining_amount`, `io_total_amount`, `month_date`, `primaryAccountName`, `purchase_order_number`, `week_date`, `commodity`, `commodity_id`, `department`, `department_id`, `sub_commodity`, `sub_commodity_id`, `creative_key`, `creative_name`, `segment_ids`, `entity_group`, `entity_group_id`';
