import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ROOT } from '../rules/source-files.ts';

interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
}

/** A session with the MCP server, as an agent's host has it. */
export interface AgentSession {
  readonly client: Client;
  call(tool: string, request?: object): Promise<ToolResult>;
}

/**
 * Starts the MCP server as a process and connects to it.
 * @param environment further variables of the process
 */
export async function startAgentSession(
  url: string,
  key = 'ecap_demo_agency',
  environment: Readonly<Record<string, string>> = {},
): Promise<AgentSession> {
  const client = new Client({ name: 'test', version: '1' });
  const { PATH = '', HOME = '' } = process.env;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(ROOT, 'infra/cli/tools/mcp.ts')],
      env: { PATH, HOME, ENDCAP_URL: url, ENDCAP_KEY: key, ...environment },
    }),
  );
  return sessionOf(client);
}

/** Connects to the MCP server of the service, as a host that takes an address. */
export async function startHttpSession(url: string, key = 'ecap_demo_agency'): Promise<AgentSession> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'Ocp-Apim-Subscription-Key': key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return sessionOf(client);
}

function sessionOf(client: Client): AgentSession {
  return {
    client,
    call: async (name, request = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: { ...request } });
      const text = Array.isArray(content) ? String(Object(content[0]).text) : '';
      return { isError: isError === true, text };
    },
  };
}

/** @returns the values as texts, numbers with the six decimals, or below 1 digits, that results have */
export const rounded = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const number = value === null || value === '' ? Number.NaN : Number(value);
      if (Number.isNaN(number)) return [name, String(value)];
      return [name, Math.abs(number) < 1 ? number.toPrecision(6) : number.toFixed(6)];
    }),
  );

/** @returns the totals in the text of a report, by column */
export function totalsOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith('Totals of '));
  return readRows(lines.slice(at + 1, at + 3))[0] ?? {};
}

/** @returns the rows in the text of a report, which stand after the line `Rows … to …` */
export function rowsOf(text: string): Readonly<Record<string, string>>[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^Rows \d+ to \d+ of/.test(line));
  const [, first = '1', last = '0'] = /^Rows (\d+) to (\d+)/.exec(lines[start] ?? '') ?? [];
  const count = Number(last) - Number(first) + 1;
  return count === 0 ? [] : readRows(lines.slice(start + 1, start + 2 + count));
}

function readRows([head = '', ...lines]: readonly string[]): Readonly<Record<string, string>>[] {
  const names = head.split(',').map((name) => name.replace(/ \[.*\]$/, ''));
  return lines.map((line) => {
    const cells = [...line.matchAll(/("(?:[^"\\]|\\.)*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
    return Object.fromEntries(names.map((name, index) => [name, unquote(cells[index] ?? '')]));
  });
}

function unquote(cell: string): string {
  return cell.startsWith('"') ? JSON.parse(cell) : cell;
}
