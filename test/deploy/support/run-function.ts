/** Runs a bundled function once: the event is standard input, and the response is the last line of standard output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder = '', handler = ''] = process.argv.slice(2);
const [file, name = ''] = handler.split('.');
const bundle = await import(pathToFileURL(join(folder, `${file}.mjs`)).href);
const context = { functionName: 'sam', awsRequestId: 'sam', getRemainingTimeInMillis: () => 28_000 };
const response = await bundle[name](JSON.parse(readFileSync(0, 'utf8')), context);
process.stdout.write(`\n${JSON.stringify(response)}\n`, () => process.exit());
