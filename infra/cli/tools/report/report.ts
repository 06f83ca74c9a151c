import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FieldCatalogue } from '../../../../shared/web/client/client.ts';
import { type FilePage, readUnchanged } from '../../../../shared/web/client/file-pages.ts';
import { readArguments, runCli, writeLine } from '../../run-cli.ts';
import { describeEstimate } from '../query/describe-estimate.ts';
import { explainError } from '../query/explain-error.ts';
import { mentions } from '../query/field-names.ts';
import { flattenCompared } from '../query/flatten-compared.ts';
import { openService } from '../query/open-client.ts';
import { metaLines, type TableOptions, tableLines, warningLines } from './print-table.ts';
import { type ReportToRead, readArrow, readCsv, readReport } from './read-report.ts';
import {
  type Format,
  REPORT_OPTIONS,
  REPORT_USAGE,
  readExperience,
  readFormat,
  readLimit,
  readPeriod,
  readUndatedQuery,
  wordingOf,
} from './report-options.ts';

const DEFAULT_TABLE_ROWS = 50;

/** A reader of the pipe, such as `head`, may close it early. */
process.stdout.on('error', (error: Error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0);
  throw error;
});

await runCli(async () => {
  const { values, positionals } = readArguments(REPORT_OPTIONS, REPORT_USAGE);
  if (values.help === true) return void process.stdout.write(`${REPORT_USAGE}\n`);
  const [text = '', ...others] = positionals;
  if (others.length > 0 || (text !== '' && values.fields !== true))
    throw new Error(`${values.fields === true ? others[0] : text} is not an option; the usage is\n${REPORT_USAGE}`);
  if (values.metrics === undefined && values.by === undefined && values.fields !== true)
    throw new Error(`--metrics or --by is required\n${REPORT_USAGE}`);
  const experience = readExperience(values.experience);
  const format = readFormat(values.format, values.out);
  const validateOnly = values['validate-only'] === true;
  if (format !== 'table' && (values.totals === true || values.chart === true || validateOnly))
    throw new Error('--totals, --chart and --validate-only need --format table');
  const limit = readLimit(values.limit, format === 'table' ? DEFAULT_TABLE_ROWS : Number.POSITIVE_INFINITY);
  const service = await openService(values);
  try {
    const { data: catalogue } = await service.client.fields();
    if (values.fields === true) return printFields(catalogue, text);
    const query = { ...readUndatedQuery(values, catalogue), ...readPeriod(values), validateOnly };
    const table = { totals: values.totals === true, chart: values.chart === true };
    const report = { service, experience, query, limit };
    if (format === 'table') return await printTable(report, values.out, table);
    const { warnings, warningsOmitted } = await printFile(report, format, values.out);
    for (const line of warningLines(warnings, warningsOmitted)) writeLine(process.stderr, line);
  } catch (error) {
    throw explainError(error, service, wordingOf(values));
  }
});

/** What standard error reports about a CSV or Arrow file. */
type FileSummary = Pick<FilePage, 'warnings' | 'warningsOmitted'>;

async function printFile(
  report: ReportToRead,
  format: Exclude<Format, 'table'>,
  out: string | undefined,
): Promise<FileSummary> {
  if (format === 'json') {
    const result = await readReport(report);
    const text = Buffer.from(`${JSON.stringify(result, undefined, 2)}\n`);
    await (out === undefined ? writeOutput([text]) : writeFile(out, () => [text]));
    return { warnings: [], warningsOmitted: 0 }; // JSON has the warnings in meta
  }
  let summary: FileSummary = { warnings: [], warningsOmitted: 0 };
  const onPage = (page: FilePage) => {
    summary = page;
  };
  const observed = { ...report, onPage };
  if (format === 'arrow') {
    if (out === undefined && process.stdout.isTTY) throw new Error('an Arrow stream is not text: use --out FILE');
    const bytes = await readArrow(observed);
    await (out === undefined ? writeStdout([bytes]) : writeFile(out, () => [bytes]));
  } else if (out === undefined) await writeOutput(readCsv(observed, format));
  else await writeFile(out, () => readCsv(observed, format));
  return summary;
}

/** Writes parts of a text, each of whole lines, to standard output: unchanged, or on a terminal with control characters as escapes. */
async function writeOutput(parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  if (!process.stdout.isTTY) return writeStdout(parts);
  for await (const part of parts) {
    const lines = new TextDecoder().decode(part).split(/\r?\n/);
    for (const line of lines.slice(0, -1)) writeLine(process.stdout, line); // after the last line break there is nothing
  }
}

async function writeStdout(parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(Readable.from(parts), process.stdout, { end: false });
}

/**
 * Writes a file: first to `<out>.part`, renamed at the end, so that `out` is never incomplete, and again from the start if data is loaded meanwhile. A pipe, device
 * or link stays what it is: it is written directly, and only once.
 * @throws EndcapError DATA_CHANGED if data was loaded meanwhile, in the case of a file in each of three attempts
 */
async function writeFile(out: string, read: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  const existing = await lstat(out).catch(() => undefined);
  if (existing?.isFile() === false) return pipeline(Readable.from(read()), createWriteStream(out));
  const draft = `${out}.part`;
  try {
    await readUnchanged(() => pipeline(Readable.from(read()), createWriteStream(draft)));
    await rename(draft, out);
  } finally {
    await rm(draft, { force: true });
  }
}

async function printTable(report: ReportToRead, out: string | undefined, layout: TableOptions): Promise<void> {
  const lines = await readTable(report, layout);
  if (out !== undefined) return writeFile(out, () => [Buffer.from(`${lines.join('\n')}\n`)]);
  for (const line of lines) writeLine(process.stdout, line);
}

async function readTable(report: ReportToRead, options: TableOptions): Promise<string[]> {
  const result = await readReport(report);
  const shown = result.data.length < result.totalCount ? `${result.data.length} of ${result.totalCount} rows` : '';
  const { estimate, compared, period } = result.meta;
  const against = compared === undefined ? '' : `compared with ${compared.startDate} to ${compared.endDate}`;
  const title = [`${report.experience}, ${period.startDate} to ${period.endDate}`, against, shown].filter(
    (part) => part !== '',
  );
  const isEmpty = result.data.length === 0 && estimate === undefined;
  const rows = isEmpty ? ['no rows'] : tableLines(flattenCompared(result), options);
  const body = estimate === undefined ? rows : [describeEstimate(estimate)];
  return [title.join(' · '), '', ...body, '', ...metaLines(result.meta)];
}

function printFields({ metrics, dimensions }: FieldCatalogue['data'], text: string): void {
  let count = 0;
  for (const [kind, fields] of Object.entries({ metrics, dimensions })) {
    const found = fields.filter((field) => mentions(field, text));
    if (found.length > 0) writeLine(process.stdout, kind);
    for (const { name, group, description, unit, type } of found)
      writeLine(process.stdout, `  ${name} (${group}; ${unit ?? type}): ${description}`);
    count += found.length;
  }
  if (count === 0) writeLine(process.stdout, `no metric or dimension mentions ${text}`);
}
