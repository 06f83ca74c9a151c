import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../shared/web/client/client.ts';
import { type AgentSession, rowsOf, startAgentSession } from '../../mcp/agent-session.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';

const KEY = 'ecap_demo_agency';
const DAYS = { startDate: '2026-02-23', endDate: '2026-03-01' };
/** Every type of field, values that are undefined, and texts with commas. */
const METRICS = [
  'impressions',
  'cost',
  'halo_roas',
  'direct_revenue',
  'other_exposed_units',
  'direct_roas',
  'unique_user_impressions',
  'campaign_start_date',
  'pacing',
] as const;
const DIMENSIONS = ['advertiser_id', 'campaign_name', 'daily_date', 'accounts', 'keyword'] as const;
const SORT = [
  { field: 'cost', order: 'DESC' },
  { field: 'campaign_name', order: 'ASC' },
] as const;
const SIZE = 120;

let stage: TestStage;
let url: string;
let agent: AgentSession;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  url = await stage.url();
  agent = await startAgentSession(url, KEY);
});
afterAll(async () => {
  await agent.client.close();
  await stage.close();
});

/** @returns the report of the URL */
async function getReport(experience: string, query: string) {
  const headers = { 'Ocp-Apim-Subscription-Key': KEY };
  return Object(await (await fetch(`${url}/report/${experience}?${query}`, { headers })).json());
}

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

test.each(['pla', 'all'] as const)(
  'a page of a report of %s has the same figures as JSON, CSV and Arrow, by the client, a URL and MCP',
  async (experience) => {
    const query = { ...DAYS, metrics: METRICS, dimensions: DIMENSIONS, sort: SORT };
    const body = { ...query, advertiserIds: [], filters: [], pagination: { offset: 0, size: SIZE } };
    const headers = { 'Ocp-Apim-Subscription-Key': KEY, 'Content-Type': 'application/json' };
    const post = (accept: string) =>
      fetch(`${url}/report/${experience}`, {
        method: 'POST',
        headers: { ...headers, Accept: accept },
        body: JSON.stringify(body),
      });
    const json: { data: Row[] } = Object(await (await post('application/json')).json());
    const client = createClient({ url, key: KEY });
    const link = `by=${DIMENSIONS}&metrics=${METRICS}&start=${DAYS.startDate}&end=${DAYS.endDate}&sort=-cost,campaign_name`;
    const byUrl = await getReport(experience, `${link}&size=${SIZE}`);
    const result = await agent.call('run_report', {
      experience,
      metrics: METRICS,
      by: DIMENSIONS,
      sort: '-cost,campaign_name',
      limit: SIZE,
      start: DAYS.startDate,
      end: DAYS.endDate,
    });

    expect(json.data).toHaveLength(SIZE);
    expect(new Set(json.data.map((row) => row.keyword === null))).toEqual(new Set([true, false]));
    expect(json.data.some((row) => String(row.accounts).includes(', '))).toBe(true);
    expect({
      csv: readCsv(await (await post('text/csv')).text()),
      arrow: readArrow(await (await post('application/vnd.apache.arrow.stream')).arrayBuffer()),
      client: (await client.report(experience, query, { size: SIZE })).data,
      url: byUrl.data,
    }).toEqual({ csv: json.data, arrow: json.data, client: json.data, url: json.data });
    expect(rowsOf(result.text)).toEqual(json.data.map(toText));
  },
);

const COMPARED_DAYS = { startDate: '2026-02-02', endDate: '2026-03-01' };
const COMPARED_METRICS = ['clicks', 'cost'] as const;
const COMPARED = {
  ...COMPARED_DAYS,
  metrics: COMPARED_METRICS,
  dimensions: ['campaign_name'],
  compare: 'previousPeriod',
  sort: [{ field: 'cost', order: 'ASC', by: 'change' }],
} as const;

test('a compared report has the same figures by the client, as an Arrow file, by a URL and MCP', async () => {
  const client = createClient({ url, key: KEY });
  const { data, totals, comparedTotals } = await client.report('pla', COMPARED);
  const flat = data.map(({ campaign_name, clicks, cost, compared, change, relativeChange }) => ({
    ...{ campaign_name, clicks, clicks_before: compared.clicks },
    ...{ clicks_change: change.clicks, clicks_relative_change: relativeChange.clicks },
    ...{ cost, cost_before: compared.cost, cost_change: change.cost, cost_relative_change: relativeChange.cost },
  }));
  const arrow = tableFromIPC(new Uint8Array(await (await client.reportFile('pla', COMPARED, 'arrow')).arrayBuffer()));
  const link = `by=campaign_name&metrics=${COMPARED_METRICS}&start=${COMPARED_DAYS.startDate}&end=${COMPARED_DAYS.endDate}`;
  const byUrl = await getReport('pla', `${link}&compare=previousPeriod&sort=cost:change`);
  const { dimensions: by, compare } = COMPARED;
  const period = { start: COMPARED_DAYS.startDate, end: COMPARED_DAYS.endDate, limit: 100 };
  const request = { experience: 'pla', metrics: COMPARED_METRICS, sort: 'cost:change', by, compare, ...period };
  const { text } = await agent.call('run_report', request);

  expect(data.length).toBeGreaterThan(20);
  expect(arrow.toArray().map((row) => ({ ...row }))).toEqual(flat);
  expect(byUrl).toMatchObject({ data, totals, comparedTotals });
  expect(rowsOf(text)).toEqual(flat.map(toText));
});

/** @returns the values of a row as agents get them: with six decimals, or below 1 six digits */
function toText(row: Row): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value !== 'number') return [name, String(value)];
      return [name, String(Number(Math.abs(value) < 1 ? value.toPrecision(6) : value.toFixed(6)))];
    }),
  );
}

function readCsv(text: string): Row[] {
  const [head = '', ...lines] = text.trimEnd().split('\r\n');
  const names = head.split(',').map((name) => name.replaceAll('"', ''));
  return lines.map((line) => {
    const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
    return Object.fromEntries(names.map((name, index) => [name, typedCell(cells[index] ?? '')]));
  });
}

/** @returns the value of a cell: texts are quoted, dates and numbers are not */
function typedCell(cell: string): Value {
  if (cell === '') return null;
  if (cell.startsWith('"')) return cell.slice(1, -1).replaceAll('""', '"');
  return /^\d{4}-\d{2}-\d{2}$/.test(cell) ? cell : Number(cell);
}

function readArrow(buffer: ArrayBuffer): Row[] {
  const table = tableFromIPC(new Uint8Array(buffer), { useDate: true });
  return table.toArray().map((row) => {
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromArrow(value)]));
  });
}

function fromArrow(value: unknown): Value {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
