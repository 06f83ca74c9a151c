import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_KEYS } from '../../infra/local/demo/demo-keys.ts';
import { createKey } from '../../shared/identity/api-keys.ts';
import { viewKey } from '../../shared/store/table/item-keys.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';
import { rounded, rowsOf, startHttpSession, totalsOf } from './agent-session.ts';

const KEY = 'ecap_demo_agency';

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
});
afterAll(() => stage.close());

interface Message {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly method?: 'POST' | 'GET' | 'DELETE';
}

async function send({ body, headers = { 'Ocp-Apim-Subscription-Key': KEY }, query = '', method = 'POST' }: Message) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return stage.request({ method, url: `/v2/mcp${query}`, headers: { ...types, ...headers }, body: text });
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const call = (name: string, request: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
  params: { name, arguments: request },
});
const textOf = (response: { readonly text: string }) => JSON.parse(response.text).result.content[0].text;
const namesOf = (response: { readonly text: string }) =>
  JSON.parse(response.text).result.tools.map(({ name }: { readonly name: string }) => name);

describe('POST /mcp', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'responds in JSON to hosts that begin with initialize, in version %s',
    async (protocolVersion) => {
      const clientInfo = { name: 'host', version: '1' };
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const first = await send({ body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
      expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json']);
      expect(first.headers['mcp-session-id']).toBeUndefined();
      expect(first.json()).toMatchObject({ id: 1, result: { protocolVersion, capabilities: { tools: {} } } });
      const headers = { 'Ocp-Apim-Subscription-Key': KEY, 'MCP-Protocol-Version': protocolVersion };
      const initialized = await send({ body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers });
      expect([initialized.status, initialized.text]).toEqual([202, '']);
      const result = await send({ body: call('run_report', { experience: 'pla', metrics: 'cost' }), headers });
      expect([result.status, result.headers['content-type']]).toEqual([200, 'application/json']);
      expect(totalsOf(textOf(result))).toEqual({ cost: '9905.44' });
    },
  );

  test('responds to the protocol of 2026-07-28, which has no sessions', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const url = new URL(`${await stage.url()}/mcp`);
    const requestInit = { headers: { 'Ocp-Apim-Subscription-Key': KEY } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await client.listTools()).tools).toHaveLength(4);
    const { content } = await client.callTool({
      name: 'run_report',
      arguments: { experience: 'pla', metrics: 'cost' },
    });
    expect(Object(content)[0].text).toContain('\n9905.44\n');
    await client.close();
  });

  test('has no streams', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, headers } = await send({ body: '', method });
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const method = 'subscriptions/listen';
    const headers = { 'Ocp-Apim-Subscription-Key': KEY, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method };
    const listen = await send({ body: { jsonrpc: '2.0', id: 1, method, params: { _meta } }, headers });
    expect([listen.status, listen.headers['content-type']]).toEqual([404, 'application/json']);
  });

  test('takes the key from the header or the query, and says so before it parses the body', async () => {
    expect((await send({ body: PING, headers: {}, query: `?subscription-key=${KEY}` })).json()).toMatchObject({
      id: 1,
      result: {},
    });
    const missing = await send({ body: '{', headers: {} });
    expect(missing.status).toBe(401);
    expect(missing.json()).toMatchObject({
      code: 'KEY_MISSING',
      detail: 'Send your API key in the header Ocp-Apim-Subscription-Key or in the query parameter subscription-key.',
    });
    expect((await send({ body: '{' })).status).toBe(400);
    const bearer = await send({
      body: PING,
      headers: { 'Ocp-Apim-Subscription-Key': KEY, Authorization: 'Bearer no' },
    });
    expect([bearer.status, Object(bearer.json()).code]).toEqual([401, 'TOKEN_INVALID']);
  });

  test('rejects batches, other types and bodies above 64 KB', async () => {
    const outcomes = await Promise.all([
      send({ body: [PING] }),
      send({ body: { ...PING, params: { text: 'x'.repeat(65_536) } } }),
      send({ body: PING, headers: { 'Ocp-Apim-Subscription-Key': KEY, 'Content-Type': 'text/plain' } }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([400, 413, 415]);
  });

  test('rejects pages of other origins', async () => {
    const headers = { 'Ocp-Apim-Subscription-Key': KEY, Origin: 'https://evil.example' };
    expect((await send({ body: PING, headers })).status).toBe(403);
  });
});

describe('a tool calls operations as if the caller had', () => {
  const withKey = async (options: Parameters<typeof createKey>[2]) => {
    const { key } = await createKey(stage.table, DEMO_KEYS.ecap_demo_agency, options);
    return { 'Ocp-Apim-Subscription-Key': key };
  };
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  test('with the scopes of the key; one for URLs sees the tools of reports alone', async () => {
    const headers = await withKey({ isForUrls: true, accountIds: [1001] });
    expect(namesOf(await send({ body: LIST, headers }))).toEqual(['run_report', 'suggest_values']);
    const query = `?subscription-key=${headers['Ocp-Apim-Subscription-Key']}`;
    expect(textOf(await send({ body: call('list_access'), headers: {}, query }))).toContain(
      'there is no tool list_access',
    );
    const named = { experience: 'pla', metrics: 'cost', advertisers: 'Crinklefen Foods' };
    expect(textOf(await send({ body: call('run_report', named), headers: {}, query }))).toContain(
      'Advertisers: 2001\n',
    );
    const metadata = await withKey({ scopes: ['metadata'] });
    expect(namesOf(await send({ body: LIST, headers: metadata }))).toEqual(['list_access', 'describe_fields']);
  });

  test('with its accounts, also those of another user', async () => {
    const headers = await withKey({ accountIds: [1003] });
    const access = textOf(await send({ body: call('list_access'), headers }));
    expect(access).toContain('You may see 1 account:\n- account 1003 ');
    expect(access).not.toContain('1001');
    const foreign = { experience: 'pla', metrics: 'cost', advertisers: '2001' };
    expect(textOf(await send({ body: call('run_report', foreign), headers }))).toContain(
      'Must be the id of one of your',
    );
    const cpg = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_cpg' };
    expect(textOf(await send({ body: call('list_access'), headers: cpg }))).not.toContain('1002');
  });

  test('from its addresses', async () => {
    const headers = await withKey({ addresses: ['203.0.113.9'] });
    for (const body of [call('list_access'), { jsonrpc: '2.0', id: 1, method: 'tools/list' }]) {
      const result = await send({ body, headers });
      expect([result.status, result.json()]).toEqual([403, expect.objectContaining({ code: 'ADDRESS_FORBIDDEN' })]);
    }
  });

  test('within its limits, one request for each operation', async () => {
    const headers = await withKey({ requestsPerMinute: 3 });
    const report = call('run_report', { experience: 'pla', metrics: 'cost' });
    const results = [];
    for (let sent = 0; sent < 4; sent++) results.push(textOf(await send({ body: report, headers })));
    expect(results.map((text) => text.startsWith('TOO_MANY_REQUESTS: '))).toEqual([false, false, false, true]);
    expect(results.at(-1)).toMatch(/Retry-After: \d+ seconds\./);
  });

  test('and logs each under the id of the message, with its read units', async () => {
    const { headers } = await send({ body: call('list_access') });
    const logged = (): { readonly route: string; readonly readUnits: number }[] => {
      const lines = stage
        .logs()
        .split('\n')
        .filter((line) => line.includes('"route"'));
      return lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === headers['x-request-id']);
    };
    await expect
      .poll(() => logged().map(({ route }) => route))
      .toEqual([
        'GET /metadata/accounts',
        ...['GET /metadata/advertisers', 'GET /metadata/advertisers', 'GET /metadata/advertisers'],
        ...['GET /metadata/fields', 'POST /mcp'],
      ]);
    expect(logged().reduce((sum, { readUnits }) => sum + readUnits, 0)).toBeLessThanOrEqual(10);
  });

  test('but does not advance the view', async () => {
    expect(textOf(await send({ body: call('list_access') }))).toContain('You may see 3 accounts:');
    expect(await stage.table.get(viewKey(DEMO_KEYS.ecap_demo_agency), { consistent: true })).toBeUndefined();
  });
});

const HALF_YEAR = 'start=latest-179d&end=latest';
/** What a planner asks, as the arguments of the tool, and as the report's URL. */
const QUESTIONS: readonly (readonly [question: string, request: object, url: string])[] = [
  [
    'What did we spend last week?',
    { experience: 'all', metrics: 'cost', start: 'startOfCompleteWeek', end: 'endOfCompleteWeek' },
    'all?metrics=cost&start=startOfCompleteWeek&end=endOfCompleteWeek',
  ],
  [
    'Which campaigns cost most?',
    { experience: 'pla', by: 'campaign_name', metrics: 'cost,halo_roas', limit: 5 },
    'pla?by=campaign_name&metrics=cost,halo_roas&sort=-cost&size=5&start=latest-27d&end=latest',
  ],
  [
    'How does cost develop by week?',
    { experience: 'toa', by: ['week_date'], metrics: ['cost', 'impressions'] },
    'toa?by=week_date&metrics=cost,impressions&sort=week_date&start=latest-27d&end=latest',
  ],
  [
    'Which keywords cost and do not sell?',
    {
      experience: 'pla',
      by: 'keyword',
      metrics: 'cost,halo_revenue,halo_roas',
      filter: ['keyword!=null', 'cost>20', 'halo_roas<0.8'],
    },
    'pla?by=keyword&metrics=cost,halo_revenue,halo_roas&filter=keyword!%3Dnull&filter=cost%3E20&filter=halo_roas%3C0.8&sort=-cost&start=latest-27d&end=latest',
  ],
  [
    'Which advertisers grew?',
    { experience: 'pla', by: 'advertiser_name', metrics: 'cost', compare: 'previousPeriod', sort: '-cost:change' },
    'pla?by=advertiser_name&metrics=cost&compare=previousPeriod&sort=-cost:change&start=latest-27d&end=latest&format=csv',
  ],
  [
    'How many people did we reach by format?',
    { experience: 'all', by: 'experience_name', metrics: 'unique_user_impressions,frequency' },
    'all?by=experience_name&metrics=unique_user_impressions,frequency&sort=-unique_user_impressions&start=latest-27d&end=latest',
  ],
  [
    'What is our share of voice?',
    { experience: 'pla', by: 'placement', metrics: 'share_of_voice' },
    'pla?by=placement&metrics=share_of_voice&sort=-share_of_voice&start=latest-27d&end=latest',
  ],
  [
    'How is Crinklefen Foods pacing?',
    { experience: 'pla', by: 'campaign_name', metrics: 'pacing,cost', advertisers: 'Crinklefen Foods', sort: 'pacing' },
    'pla?by=campaign_name&metrics=pacing,cost&advertisers=2001&sort=pacing&start=latest-27d&end=latest',
  ],
  [
    'When do people buy?',
    { experience: 'pla', by: 'weekday,hour', metrics: 'halo_exposed_transactions', limit: 200 },
    'pla?by=weekday,hour&metrics=halo_exposed_transactions&sort=-halo_exposed_transactions&size=200&start=latest-27d&end=latest',
  ],
  [
    'And page two of the ad groups?',
    { experience: 'carousel', by: 'ad_group_name', metrics: 'clicks', start: 'latest-179d', limit: 3, offset: 3 },
    `carousel?by=ad_group_name&metrics=clicks&sort=-clicks&offset=3&size=3&${HALF_YEAR}`,
  ],
];

test.each(QUESTIONS)('an agent over HTTP answers "%s" with the figures of the API', async (_, request, url) => {
  const agent = await startHttpSession(await stage.url(), KEY);
  const { isError, text } = await agent.call('run_report', request);
  await agent.client.close();
  expect([isError, text]).toEqual([false, expect.stringContaining('Rows ')]);
  const response = await fetch(`${await stage.url()}/report/${url}`, { headers: { 'Ocp-Apim-Subscription-Key': KEY } });
  const shown = rowsOf(text).map(rounded);
  if (url.includes('format=csv')) {
    const [head = '', ...lines] = (await response.text()).trim().split(/\r?\n/);
    const rows = lines.map((line) =>
      Object.fromEntries(head.split(',').map((name, at) => [name, (line.split(',')[at] ?? '').replaceAll('"', '')])),
    );
    return expect(shown).toEqual(rows.map(rounded));
  }
  const { data, totals } = Object(await response.json());
  expect(shown).toEqual(data.slice(0, shown.length).map(rounded));
  expect(shown.length).toBeGreaterThan(0);
  expect(rounded(totalsOf(text))).toEqual(rounded(totals));
});
