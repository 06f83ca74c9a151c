import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../support/stage.ts';
import { type AgentSession, rounded, rowsOf, startAgentSession, startHttpSession, totalsOf } from './agent-session.ts';
import calls from './clumsy-calls.json' with { type: 'json' };

interface ClumsyCall {
  readonly why: string;
  readonly tool: string;
  readonly arguments: object;
  /** The report as a URL that the call means: a result has its figures. */
  readonly same?: string;
  /** What the result says besides; without `same`, mostly that of an error. */
  readonly says?: readonly string[];
}

const CALLS: readonly ClumsyCall[] = calls;

let stage: TestStage;
const agents = new Map<string, AgentSession>();
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  const url = await stage.url();
  agents.set('npx endcap mcp', await startAgentSession(url));
  agents.set('POST /mcp', await startHttpSession(url));
});
afterAll(async () => {
  for (const { client } of agents.values()) await client.close();
  await stage.close();
});

/** @returns the totals and rows of the report of the URL, as texts of six digits */
async function figuresOf(report: string) {
  const headers = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' };
  const response = await fetch(`${await stage.url()}/report/${report}`, { headers });
  const { data, totals } = Object(await response.json());
  expect(data.length).toBeGreaterThan(0);
  return { totals: rounded(totals), rows: data.map(rounded) };
}

describe.each(['npx endcap mcp', 'POST /mcp'])('%s', (by) => {
  test.each(CALLS)('answers a call with $why by its figures, or by what to correct: $tool $arguments', async (call) => {
    const { isError, text } = (await agents.get(by)?.call(call.tool, call.arguments)) ?? { isError: true, text: '' };
    for (const part of call.says ?? []) expect(text).toContain(part);
    if (call.same === undefined) return;
    const { totals, rows } = await figuresOf(call.same);
    expect({ isError, totals: rounded(totalsOf(text)) }).toEqual({ isError: false, totals });
    expect(rowsOf(text).map(rounded)).toEqual(rows.slice(0, rowsOf(text).length));
    expect(rowsOf(text)).toHaveLength(Math.min(rows.length, Object(call.arguments).limit ?? 25));
  });
});

test('at least thirty calls were written down', () => {
  expect(CALLS.length).toBeGreaterThanOrEqual(30);
});
