import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EXPECTED_FILES } from '../../shared/load/find-files.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import type { LoadReport } from '../../shared/load/load-report.ts';
import { formatProblem } from '../../shared/load/problems.ts';
import { readCliEnvironment } from './environment.ts';
import { openTarget } from './open-target.ts';
import { runCli } from './run-cli.ts';
import { showProgress } from './show-progress.ts';

const USAGE = `usage: npm run load -- FOLDER [--table NAME] [--region REGION] [--profile PROFILE] [--max-errors N]

Loads a folder, all of it or, if anything in it is wrong, nothing. Loading it again changes nothing. The folder may hold
  ${EXPECTED_FILES.join('\n  ')}
A listing file replaces its listing; the days of facts in the folder replace those of their advertiser, experience and table; what the folder does
not mention stays. Every file and column is described in README.md.
  --table NAME       the table of a deployed stack, with ordinary AWS credentials; without it, the stage or the data of DATA_DIR
  --region REGION    the region of the table; AWS_REGION unless given
  --profile PROFILE  the profile of the AWS credentials; AWS_PROFILE unless given
  --max-errors N     how many problems are shown; 100 unless given
It ends with 0 when the folder is loaded, with 1 when it is not, and with 130 when it was interrupted: then, too, nothing has changed.`;

const INTERRUPTED = 130;

await runCli(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      table: { type: 'string' },
      region: { type: 'string' },
      profile: { type: 'string' },
      'max-errors': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new Error(`one folder is to be named\n${USAGE}`);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`there is no folder ${resolve(folder)}`);
  const limit = values['max-errors'] ?? '100';
  if (!/^[1-9]\d{0,6}$/.test(limit)) throw new Error(`--max-errors is ${limit}; it may be a whole number from 1 on`);
  if (values.region !== undefined) process.env.AWS_REGION = values.region;
  if (values.profile !== undefined) process.env.AWS_PROFILE = values.profile;
  process.exitCode = await load(folder, values.table, Number(limit));
});

/** @returns the exit code */
async function load(folder: string, tableName: string | undefined, limit: number): Promise<number> {
  const target = await openTarget({ table: tableName, ...readCliEnvironment() });
  const view = showProgress(process.stderr);
  const note = (text: string) => {
    view.end();
    process.stderr.write(`${text}\n`);
  };
  const interrupted = new AbortController();
  const interrupt = () => {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED); // asked for a second time: what was written is removed by the next load
    note('interrupted: removing what was written');
    interrupted.abort(new Error('the load was interrupted: nothing has changed'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    note(`loading ${resolve(folder)} into ${target.description}`);
    const { table, timeZone } = target;
    const report = await loadFolder({
      folder,
      table,
      timeZone,
      limits: { problems: limit },
      signal: interrupted.signal,
      onProgress: (progress) => view.update(progress),
      onNote: note,
    });
    view.end();
    printReport(report);
    return report.outcome === 'rejected' ? 1 : 0;
  } catch (error) {
    view.end();
    if (!interrupted.signal.aborted) throw error;
    process.stderr.write(`endcap: ${interrupted.signal.reason.message}\n`);
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await target.close();
  }
}

function printReport(report: LoadReport): void {
  const { outcome, problems, problemCount, warnings, listings, facts } = report;
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  if (outcome === 'rejected') {
    for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
    const more = problemCount - problems.length;
    if (more > 0) process.stderr.write(`… and ${count(more, 'more problem')}; --max-errors shows more of them\n`);
    process.stderr.write(`endcap: ${count(problemCount, 'problem')}, nothing was loaded\n`);
    return;
  }
  const written = listings.map((it) => `${it.listing}: ${count(it.rows, 'row')}, ${it.outcome}`);
  const replaced = facts.map(
    (it) => `facts/${it.experience}/${it.table}: ${count(it.rows, 'row')} on ${count(it.days, 'day')} of advertisers`,
  );
  for (const line of [...written, ...replaced]) process.stdout.write(`  ${line}\n`);
  process.stdout.write(outcome === 'unchanged' ? 'unchanged: all of it had been loaded before\n' : 'loaded\n');
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;
}
