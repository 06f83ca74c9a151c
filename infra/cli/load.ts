import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadFolder } from '../../shared/load/load-folder.ts';
import type { Progress } from '../../shared/load/load-report.ts';
import { EXPECTED_FILES } from '../../shared/load/source/find-files.ts';
import { readCliEnvironment } from './environment.ts';
import { explainAwsError } from './explain-aws-error.ts';
import { interruptible } from './interruptible.ts';
import { loadThroughBucket } from './load-through-bucket.ts';
import { openTarget, TARGET_OPTIONS, TARGET_USAGE } from './open-target.ts';
import { printReport } from './print-report.ts';
import { readArguments } from './read-arguments.ts';
import { runCli } from './run-cli.ts';
import { showProgress } from './show-progress.ts';

const USAGE = `usage: npm run load -- FOLDER [--table NAME] [--region REGION] [--profile PROFILE] [--max-errors N]
       npm run load -- FOLDER --bucket NAME [--prefix PREFIX] [--region REGION] [--profile PROFILE]

Loads a folder, all of it or, if anything in it is wrong, nothing. Loading it again changes nothing. The folder may hold
  ${EXPECTED_FILES.join('\n  ')}
A listing file replaces its listing; the days of facts in the folder replace those of their advertiser, experience and table; the days that a
deletions file names are emptied; what the folder does not mention stays. Every file and column is described in README.md.
${TARGET_USAGE}
  --bucket NAME      the bucket of a deployed stack: the folder is sent there, and loaded by the stack itself
  --prefix PREFIX    what the folder is called in the bucket; as it is called here unless given
  --max-errors N     how many problems are shown; 100 unless given
It ends with 0 when the folder is loaded, with 1 when it is not, and with 130 when it was interrupted: then, too, nothing has changed, unless the
folder was already whole in the bucket.`;

await runCli(async () => {
  const options = {
    ...TARGET_OPTIONS,
    bucket: { type: 'string' },
    prefix: { type: 'string' },
    'max-errors': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new Error(`one folder is to be named\n${USAGE}`);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`there is no folder ${resolve(folder)}`);
  const limit = values['max-errors'] ?? '100';
  if (!/^[1-9]\d{0,6}$/.test(limit)) throw new Error(`--max-errors is ${limit}; it may be a whole number from 1 on`);
  if (values.region !== undefined) process.env.AWS_REGION = values.region;
  if (values.profile !== undefined) process.env.AWS_PROFILE = values.profile;
  const { bucket, prefix, table } = values;
  if (bucket === undefined && prefix !== undefined)
    throw new Error('--prefix is a name in a bucket: --bucket is missing');
  if (bucket !== undefined && (table !== undefined || values['max-errors'] !== undefined))
    throw new Error(
      '--bucket goes with neither --table nor --max-errors: the stack knows its table, and its report is what it is',
    );
  process.exitCode =
    bucket === undefined ? await load(folder, table, Number(limit)) : await send(folder, bucket, prefix);
});

/** @returns the exit code */
async function send(folder: string, bucket: string, prefix: string | undefined): Promise<number> {
  return loadThroughBucket(folder, bucket, prefix).catch((error: unknown) => {
    throw explainAwsError(error);
  });
}

/** @returns the exit code */
async function load(folder: string, tableName: string | undefined, limit: number): Promise<number> {
  const target = await openTarget({ table: tableName, ...readCliEnvironment() });
  const view = showProgress(process.stderr);
  const note = (text: string) => {
    view.end();
    process.stderr.write(`${text}\n`);
  };
  try {
    return await interruptible(
      () => note('interrupted: removing what was written'),
      async (signal) => {
        note(`loading ${resolve(folder)} into ${target.description}`);
        const { table, timeZone } = target;
        const onProgress = (progress: Progress) => view.update(progress);
        const limits = { problems: limit };
        const report = await loadFolder({ folder, table, timeZone, limits, signal, onProgress, onNote: note }).catch(
          async (error: unknown) => {
            if (signal.aborted) note('endcap: the load was interrupted: nothing has changed');
            throw signal.aborted ? error : await target.explain(error);
          },
        );
        view.end();
        return printReport(report, '--max-errors shows more of them');
      },
    );
  } finally {
    view.end();
    await target.close();
  }
}
