import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ROOT } from '../../rules/source-files.ts';

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** The answer as data. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A session with the MCP server, as an agent's host has it. */
export interface AgentSession {
  readonly client: Client;
  call(tool: string, request?: object): Promise<ToolAnswer>;
}

/** Starts the MCP server as a process and connects to it. */
export async function startAgentSession(url: string, key = 'ecap_demo_agency'): Promise<AgentSession> {
  const client = new Client({ name: 'test', version: '1' });
  const { PATH = '', HOME = '' } = process.env;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(ROOT, 'infra/tools/mcp/mcp.ts')],
      env: { PATH, HOME, ENDCAP_URL: url, ENDCAP_KEY: key },
    }),
  );
  return {
    client,
    call: async (name, request = {}) => {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: { ...request } });
      const text = Array.isArray(content) ? String(Object(content[0]).text) : '';
      return { isError: isError === true, text, data: Object(structuredContent ?? {}) };
    },
  };
}
