import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FACT_TABLES } from '../../../shared/catalog/tables.ts';
import { parseDate, yesterdayIn } from '../../../shared/lib/calendar.ts';
import { factColumns } from '../../../shared/load/schema/fact-columns.ts';
import { type ColumnSpec, LISTING_FILES, listingColumns } from '../../../shared/load/schema/file-columns.ts';
import { readOwnSettings } from '../../config/settings.ts';
import { generateDemo } from '../../local/demo/generate-demo.ts';
import { INTERRUPTED, onInterrupt } from '../interruptible.ts';
import { readArguments, runCli } from '../run-cli.ts';
import { convertRows, ROW_FORMATS } from './convert-rows.ts';

const USAGE = `usage: npx endcap demo --out FOLDER [--format ${ROW_FORMATS.join('|')}] [--end DAY]

Writes the demo network as a folder of load files, to look at and as templates for your own files. \`npm run load -- FOLDER\` loads the folder.
  --out FOLDER     a new or empty folder
  --format FORMAT  ${ROW_FORMATS.join(', ')}; default: csv
  --end DAY        last of the 90 days with facts, YYYY-MM-DD; default: yesterday
Every file and column is described in shared/load/README.md.`;

const OPTIONS = {
  out: { type: 'string' },
  format: { type: 'string' },
  end: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

await runCli(async () => {
  const { values, positionals } = readArguments(OPTIONS, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (values.out === undefined) throw new Error(`--out FOLDER is required\n${USAGE}`);
  if (positionals.length > 0) throw new Error(`demo takes only options\n${USAGE}`);
  const folder = resolve(values.out);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder, so that none of your files is overwritten`);
  const end = values.end ?? yesterdayIn(readOwnSettings().timeZone);
  if (parseDate(end) === undefined) throw new Error(`--end is ${end}; it must be a date such as 2026-03-01`);
  const rows = await writeDemo(folder, formatOf(values.format ?? 'csv'), end);
  for (const [name, count] of rows) process.stdout.write(`  ${name}: ${count.toLocaleString('en-US')} rows\n`);
  process.stdout.write(`written to ${folder}\n`);
});

function formatOf(name: string) {
  const format = ROW_FORMATS.find((candidate) => candidate === name);
  if (format === undefined) throw new Error(`--format is ${name}; it must be ${ROW_FORMATS.join(', ')}`);
  return format;
}

/** @returns the written files and their numbers of rows */
async function writeDemo(
  folder: string,
  format: (typeof ROW_FORMATS)[number],
  end: string,
): Promise<[string, number][]> {
  const isNew = !existsSync(folder);
  const created: string[] = [];
  // before anything is written: without a handler, a signal ends the process at once
  using _ = onInterrupt(() => {
    const written = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    for (const path of [...created, ...(isNew ? [folder] : written)])
      rmSync(path, { recursive: true, force: true, maxRetries: 9 }); // a file may be written meanwhile
    process.exit(INTERRUPTED);
  });
  const source = mkdtempSync(join(tmpdir(), 'endcap-demo-'));
  created.push(source);
  try {
    const rows = await generateDemo(source, end);
    const written: [string, number][] = [];
    for (const [name, count] of Object.entries(rows)) {
      const target = `${name}.${format}`;
      await convertRows(join(source, `${name}.ndjson`), join(folder, target), format, columnsOf(name));
      written.push([target, count]);
    }
    return written;
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

/** @param name path of a load file in its folder, without the extension */
function columnsOf(name: string): readonly ColumnSpec[] {
  const listing = LISTING_FILES.find((candidate) => candidate === name);
  if (listing !== undefined) return listingColumns(listing);
  const table = FACT_TABLES.find((candidate) => name.endsWith(`/${candidate}`));
  if (table === undefined) throw new Error(`${name} is not a load file`);
  return factColumns(table);
}
