import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../../../shared/mcp/server.ts';
import { readArguments, runCli } from '../run-cli.ts';
import { openService, SERVICE_OPTIONS, SERVICE_USAGE } from './open-service.ts';

const USAGE = `usage: npx endcap mcp [OPTIONS]

An MCP (Model Context Protocol) server on standard input and output, with which an agent reads reports. An agent's host starts it; with Endcap in FOLDER, its configuration is
  {"mcpServers": {"endcap": {"command": "FOLDER/node_modules/.bin/node", "args": ["FOLDER/infra/cli/endcap.mjs", "mcp"], "env": {"ENDCAP_URL": "…", "ENDCAP_KEY": "…"}}}}
${SERVICE_USAGE}`;

await runCli(async () => {
  const options = { ...SERVICE_OPTIONS, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`mcp takes only options\n${USAGE}`);
  const service = await openService(values);
  serveStdio(() => createMcpServer(service));
});
