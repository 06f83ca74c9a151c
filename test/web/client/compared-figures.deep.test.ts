import { tableFromIPC } from '@uwdata/flechette';
import { expect, test } from 'vitest';
import { createClient } from '../../../shared/web/client/client.ts';
import { runCommand } from '../../infra/cli/run-command.ts';
import { rowsOf, startAgentSession } from '../../infra/tools/mcp-client.ts';
import { startTestStage } from '../../support/stage.ts';

const KEY = 'ecap_demo_agency';
const DAYS = { startDate: '2026-02-02', endDate: '2026-03-01' };
const METRICS = ['clicks', 'cost'] as const;
const QUERY = {
  ...DAYS,
  metrics: METRICS,
  dimensions: ['campaign_name'],
  compare: 'previousPeriod',
  sort: [{ field: 'cost', order: 'ASC', by: 'change' }],
} as const;

test('a compared report has the same figures by the client, as an Arrow file, by the command line and MCP', async () => {
  const stage = await startTestStage({ demo: true });
  const url = await stage.url();
  const agent = await startAgentSession(url, KEY);
  try {
    const client = createClient({ url, key: KEY });
    const { data, totals, comparedTotals } = await client.report('pla', QUERY);
    const flat = data.map(({ campaign_name, clicks, cost, compared }) => ({
      ...{ campaign_name, clicks, clicks_before: compared.clicks, clicks_change: difference(clicks, compared.clicks) },
      ...{ cost, cost_before: compared.cost, cost_change: difference(cost, compared.cost) },
    }));
    const arrow = tableFromIPC(new Uint8Array(await (await client.reportFile('pla', QUERY, 'arrow')).arrayBuffer()));
    const args = ['--by=campaign_name', `--metrics=${METRICS}`, `--from=${DAYS.startDate}`, `--to=${DAYS.endDate}`];
    const command = await runCommand(
      '../tools/report/report',
      [...args, '--compare=previousPeriod', '--sort=cost:asc:change', '--limit=100', '--format=json'],
      { ENDCAP_URL: url, ENDCAP_KEY: KEY },
    );
    const { sort, dimensions, compare } = QUERY;
    const period = { start_date: DAYS.startDate, end_date: DAYS.endDate };
    const request = { experience: 'pla', metrics: METRICS, sort, dimensions, compare, limit: 100, ...period };
    const { text } = await agent.call('run_report', request);

    expect(data.length).toBeGreaterThan(20);
    expect(arrow.toArray().map((row) => ({ ...row }))).toEqual(flat);
    expect(JSON.parse(command.stdout)).toMatchObject({ data, totals, comparedTotals });
    const texts = (row: object) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
    expect(rowsOf(text)).toEqual(flat.map(texts));
  } finally {
    await agent.client.close();
    await stage.close();
  }
});

/** Of sums with at most six decimals. */
function difference(value: number | null, before: number | null): number {
  return Number((Number(value) - Number(before)).toFixed(6));
}
