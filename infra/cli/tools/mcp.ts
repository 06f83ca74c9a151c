import { readFile } from 'node:fs/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { readArguments, runCli } from '../../run-cli.ts';
import { openService, SERVICE_OPTIONS, SERVICE_USAGE } from '../query/open-client.ts';
import { createMcpServer } from './server.ts';

const USAGE = `usage: npx endcap mcp [OPTIONS]

An MCP (Model Context Protocol) server on standard input and output, with which an agent reads reports. An agent's host starts it; with Endcap in FOLDER, its configuration is
  {"mcpServers": {"endcap": {"command": "FOLDER/node_modules/.bin/node", "args": ["FOLDER/infra/cli/endcap.mjs", "mcp"], "env": {"ENDCAP_URL": "…", "ENDCAP_KEY": "…"}}}}
${SERVICE_USAGE}`;

await runCli(async () => {
  const options = { ...SERVICE_OPTIONS, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`mcp takes only options\n${USAGE}`);
  const { version } = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8'));
  const server = createMcpServer(await openService(values), version);
  await server.connect(new StdioServerTransport());
});
