import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { type AgentSession, startAgentSession } from './mcp-client.ts';

let stage: TestStage;
let agent: AgentSession;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  agent = await startAgentSession(await stage.url());
});
afterAll(async () => {
  await agent.client.close();
  await stage.close();
});

const WEEK = { start_date: '2026-02-23', end_date: '2026-03-01' };

describe('the MCP server', () => {
  test('introduces itself and offers four tools, which all only read', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['list_access', true],
      ['describe_fields', true],
      ['run_report', true],
      ['suggest_values', true],
    ]);
    expect(agent.client.getInstructions()).toContain('State units, period, attribution and freshness in your answers.');
  });

  test('says what the key may see, and through which day the data is complete', async () => {
    const { text, data } = await agent.call('list_access');
    expect(text).toContain('- account 1001 Finchwater Media – Center Store: advertisers 2001 Crinklefen Foods, ');
    expect(text).toContain('Data is complete through: pla 2026-03-01, toa 2026-03-01, carousel 2026-03-01.');
    expect(text).toContain('Amounts are in USD; days and hours are those of America/New_York.');
    expect(data).toMatchObject({ userType: 'AGENCY', accounts: [{ id: 1001 }, { id: 1002 }, { id: 1003 }] });
  });

  test('shows a key no more than it may see', async () => {
    const brand = await startAgentSession(await stage.url(), 'ecap_demo_cpg');
    const { text } = await brand.call('list_access');
    await brand.client.close();
    expect(text).toContain('as a brand (CPG)');
    expect(text).not.toContain('1002');
  });

  test('describes fields with units, values and the rules by which they have none', async () => {
    const { text } = await agent.call('describe_fields', { names: ['cost', 'keyword', 'campaign_status'] });
    expect(text).toContain('- cost (metric of kind sum, in USD): What the advertiser is charged for delivery.');
    expect(text).toContain('Values: DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED.');
    expect(text).toContain('- keyword: null in toa. Has no meaning in toa.');
    expect(text).toContain('- cost: null by conversion_source, purchased_entity_id, purchased_entity_name.');
    expect((await agent.call('describe_fields')).text).toContain('- time: daily_date, week_date, month_date, hour');
    expect((await agent.call('describe_fields', { search: 'nothing like it' })).text).toMatch(/^No field has/);
  });

  /** The figures are those of README.md. */
  test('answers a report with the totals first, then as many rows as asked for, with units and freshness', async () => {
    const request = {
      experience: 'pla',
      metrics: ['cost', 'halo_roas'],
      dimensions: ['campaign_name'],
      ...WEEK,
      limit: 1,
    };
    const { text, data } = await agent.call('run_report', request);
    expect(text.split('\n')).toEqual([
      'pla, 2026-02-23 to 2026-03-01. Data is complete through 2026-03-01. Days are those of America/New_York, amounts are in USD; ' +
        'purchases within 14 days of the ad, counted on the conversion day.',
      'Totals of the whole report:',
      'cost [USD],halo_roas [ratio]',
      '2351.28,1.2253',
      'Rows 1 to 1 of 19:',
      'campaign_name,cost [USD],halo_roas [ratio]',
      'Saltlark Always On Search,462.62,1.0115',
      'For the rest, filter, sort, or read on with offset 1.',
    ]);
    expect(data).toMatchObject({
      totals: { halo_roas: 1.2253495968153516 },
      units: { cost: 'USD', halo_roas: 'ratio' },
    });
  });

  test('passes warnings on, and says if a period ends after the data', async () => {
    const request = {
      experience: 'toa',
      metrics: ['share_of_voice'],
      start_date: '2026-03-01',
      end_date: '2026-03-05',
    };
    const { text } = await agent.call('run_report', request);
    expect(text).toContain('Data is complete through 2026-03-01: the end of the period is incomplete.');
    expect(text).toContain('Warning, share_of_voice: share_of_voice is undefined in toa');
  });

  test('suggests values of a dimension', async () => {
    const { data } = await agent.call('suggest_values', { experience: 'pla', dimension: 'keyword', contains: 'CHIP' });
    expect(data).toMatchObject({ values: ['chips', 'kettle chips', 'potato chips', 'tortilla chips'], totalCount: 4 });
  });

  test.each([
    [{ experience: 'pla', metrics: ['roas'] }, 'did you mean halo_roas or halo_exposed_roas?'],
    [{ experience: 'pla', metrics: ['cost'], advertiser_ids: [1] }, 'ADVERTISER_FORBIDDEN'],
    [{ experience: 'pla', metrics: ['cost'], last: '5 days' }, '5 days is not a period'],
    [{ experience: 'pla', metrics: ['cost'], limit: 5_000 }, 'limit'],
  ])('answers the report %j with an error that says what to correct', async (request, message) => {
    const { isError, text } = await agent.call('run_report', request);
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });
});

/** What an agent does with the tools alone, and what a program that calls the API finds. */
test('an agent answers "which keywords waste money?"', async () => {
  const access = await agent.call('list_access');
  expect(access.data).toMatchObject({ dataCompleteThrough: { pla: '2026-03-01' } });
  const fields = await agent.call('describe_fields', { search: 'keyword' });
  expect(fields.text).toContain('- keyword: null in carousel. Has no meaning in carousel.'); // so it asks about pla
  const money = await agent.call('describe_fields', { names: ['cost', 'halo_revenue', 'halo_roas'] });
  expect(money.text).toContain('- halo_roas (metric of kind ratio, in ratio): Revenue attributed to a click / cost.');
  const answer = await agent.call('run_report', {
    experience: 'pla',
    metrics: ['cost', 'halo_revenue', 'halo_roas'],
    dimensions: ['keyword'],
    last: '28d',
    filters: [
      { field: 'keyword', operator: 'NOT_NULL' },
      { field: 'cost', operator: 'GREATER_THAN', values: [20] },
      { field: 'halo_roas', operator: 'LESS_THAN', values: [0.8] },
    ],
    limit: 200,
  });
  const { rows, totals } = answer.data;

  const all = await fetch(`${await stage.url()}/report/pla`, {
    method: 'POST',
    headers: { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ startDate: '2026-02-02', endDate: '2026-03-01', advertiserIds: [], filters: [] },
      ...{
        metrics: ['cost', 'halo_revenue', 'halo_roas'],
        dimensions: ['keyword'],
        pagination: { offset: 0, size: 10_000 },
      },
      sort: [{ field: 'cost', order: 'DESC' }],
    }),
  });
  const keywords: readonly { keyword: string | null; cost: number; halo_roas: number | null }[] = Object(
    await all.json(),
  ).data;
  const wasteful = keywords.filter((row) => row.keyword !== null && row.cost > 20 && Number(row.halo_roas ?? 1) < 0.8);
  expect(wasteful.length).toBeGreaterThan(2);
  expect(rows).toEqual(wasteful);
  const cost = wasteful.reduce((sum, row) => sum + Math.round(row.cost * 100), 0) / 100;
  expect(totals).toMatchObject({ cost });
  expect(answer.text).toContain(`\n${wasteful[0]?.keyword},${wasteful[0]?.cost},`);
});
