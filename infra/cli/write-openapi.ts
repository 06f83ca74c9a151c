import { readFile, writeFile } from 'node:fs/promises';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';
import { ROUTES } from '../config/routes.ts';
import { readArguments, runCli } from './run-cli.ts';

const USAGE = `usage: npx endcap openapi [--server URL] [--out FILE]

Writes the OpenAPI document of the service to FILE, or to standard output.
  --server URL  the base URL of the paths, such as https://api.example.com/v2; default: /v2`;

await runCli(async () => {
  const options = {
    server: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`openapi takes only options\n${USAGE}`);
  const document = buildOpenApi(ROUTES, {
    version: await readVersion(),
    ...(values.server === undefined ? {} : { serverUrl: values.server }),
  });
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (values.out === undefined) process.stdout.write(text);
  else await writeFile(values.out, text);
});

async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  return version;
}
