#!/usr/bin/env node
/** `npx endcap COMMAND …`. Like `preload.mjs`, it is JavaScript that Node 20 can load. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '../preload.mjs';

const COMMANDS = {
  load: ['load.ts', 'loads a folder'],
  key: ['key.ts', 'creates, lists and revokes keys'],
  audit: ['audit.ts', 'shows who has changed what'],
  mcp: ['tools/mcp.ts', 'serves reports to an agent'],
  demo: ['tools/demo.ts', 'writes the demo network as files'],
  openapi: ['write-openapi.ts', 'writes the OpenAPI document'],
  prove: ['operate/prove.ts', 'tries the service in an AWS account, or checks a stack'],
};

const [name = '-h'] = process.argv.slice(2);
if (Object.hasOwn(COMMANDS, name)) {
  const file = new URL(COMMANDS[name][0], import.meta.url);
  process.argv.splice(1, 2, fileURLToPath(file)); // a command that starts itself again starts this file
  await import(file);
} else if (name === '--version') {
  process.stdout.write(`${JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version}\n`);
} else {
  const lines = Object.entries(COMMANDS).map(([command, [, about]]) => `  ${command.padEnd(8)} ${about}`);
  const usage = `usage: npx endcap COMMAND [-h] …\n       npx endcap --version\n\n${lines.join('\n')}\n`;
  if (['-h', '--help', 'help'].includes(name)) {
    process.stdout.write(usage);
  } else {
    const { didYouMean } = await import('../../shared/catalog/describe/suggest.ts');
    const suggestion = didYouMean(name, Object.keys(COMMANDS));
    process.stderr.write(`endcap: there is no command ${JSON.stringify(name)}${suggestion}\n${usage}`);
    process.exitCode = 2;
  }
}
