import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Progress } from '../../shared/load/check/load-report.ts';
import { type LoadOptions, loadFolder, recordRejection } from '../../shared/load/load-folder.ts';
import { isReplaceMode, REPLACE_RULE } from '../../shared/load/schema/replace-modes.ts';
import { directorySource, type FileSource } from '../../shared/load/source/file-source.ts';
import { EXPECTED_FILES } from '../../shared/load/source/find-files.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { pacedWrites } from '../../shared/store/table/write-rate.ts';
import { finalityOf } from '../config/setting-schema.ts';
import { readDefaults, readOwnSettings } from '../config/settings.ts';
import { explainOtherDataDir } from '../local/first-start.ts';
import { quoteForShell } from '../local/greeting.ts';
import { readCliEnvironment, setAwsEnvironment } from './environment.ts';
import { explainAwsError } from './explain-aws-error.ts';
import { interruptible } from './interruptible.ts';
import { reportReading, runWithinMemory } from './limit-memory.ts';
import { loadThroughBucket } from './load-through-bucket.ts';
import { openTarget, TARGET_OPTIONS, TARGET_USAGE } from './open-target.ts';
import { printReport } from './print-report.ts';
import { logChangeOfCommand, readArguments, runCli, writeLine } from './run-cli.ts';
import { showProgress } from './show-progress.ts';

const USAGE = `usage: npm run load -- FOLDER [--table NAME] [--region REGION] [--profile PROFILE] [--replace MODE] [--check] [--accept] [--max-drop JSON] [--max-growth JSON] [--max-errors N]
       npm run load -- FOLDER --bucket NAME [--prefix PREFIX] [--replace MODE] [--check] [--accept] [--region REGION] [--profile PROFILE]

Loads a folder: all of it, or nothing if anything in it is invalid. Loading it twice in a row changes nothing. The folder may contain
  ${EXPECTED_FILES.join('\n  ')}
A listing file replaces its listing, a patch some rows of it. The days of facts in the folder replace the same days of their advertiser, experience and
table. The days in a deletions file are emptied. Everything else stays. Every file and column is described in shared/load/README.md.
${TARGET_USAGE}
  --bucket NAME      the bucket of a deployed stack: the folder is uploaded there, and the stack loads it
  --prefix PREFIX    the folder's name in the bucket; default: its name here
  --replace MODE     what the facts replace: advertiser-days, the days of their advertisers; days, also those of advertisers that the folder has
                     no rows of; hours, only the hours that it has of its advertisers' days; default: advertiser-days, with a warning of other advertisers on the same days;
                     2026-02-01..2026-02-28, all days of a period, also those that the folder has no rows of, in the tables that it has
  --check            writes nothing, and shows what the load would change
  --max-drop JSON, --max-growth JSON
                     instead of the settings maxDrop and maxGrowth, such as '{"pla":10}'
  --accept           loads days beyond them with a warning
  --max-errors N     how many problems are shown, 1 to 9,999,999; default: 100
Exit codes: 0 if the folder is loaded; 1 if it is not, or if that is unknown; 130 if the command was interrupted: then nothing has changed, unless
the folder had been uploaded completely, or the command says that it may have been loaded.`;

await runCli(async () => {
  const options = {
    ...TARGET_OPTIONS,
    bucket: { type: 'string' },
    prefix: { type: 'string' },
    replace: { type: 'string' },
    check: { type: 'boolean', default: false },
    accept: { type: 'boolean' }, // not in _READY if absent: earlier versions of the stack reject it
    'max-drop': { type: 'string' },
    'max-growth': { type: 'string' },
    'max-errors': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new Error(`exactly one folder is required\n${USAGE}`);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`there is no folder ${resolve(folder)}`);
  const maxProblems = values['max-errors'] ?? '100';
  if (!/^[1-9]\d{0,6}$/.test(maxProblems))
    throw new Error(`--max-errors is ${maxProblems}; it must be an integer from 1 to 9999999`);
  const { bucket, prefix, table, region, profile, replace } = values;
  if (replace !== undefined && !isReplaceMode(replace)) throw new Error(`--replace is ${replace}; it ${REPLACE_RULE}`);
  if (bucket === undefined && table === undefined && (region !== undefined || profile !== undefined))
    throw new Error('--region and --profile require --table or --bucket');
  setAwsEnvironment({ region, profile });
  if (bucket === undefined && prefix !== undefined) throw new Error('--prefix requires --bucket');
  const local = ['table', 'max-errors', 'max-drop', 'max-growth'] as const;
  if (bucket !== undefined && local.some((name) => values[name] !== undefined))
    throw new Error(`--bucket cannot be combined with --${local.join(', --')}: the stack has its own table and limits`);
  const onReading = reportReading();
  const { 'max-drop': drop, 'max-growth': growth } = values;
  const limits = { ...(drop && { maxDrop: drop }), ...(growth && { maxGrowth: growth }) };
  const settings = readOwnSettings({ ...readDefaults(), ...limits });
  const { productIds, currency, maxDrop, maxGrowth } = settings;
  const attribution = JSON.stringify(settings.attribution);
  const loaded = { productIds, currency, attribution, maxDrop, maxGrowth, finality: finalityOf(settings) };
  const choice = { replace, check: values.check, accept: values.accept, ...loaded };
  if (bucket !== undefined) {
    const sending = loadThroughBucket(folder, bucket, prefix, choice);
    process.exit(await sending.catch((error: unknown) => Promise.reject(explainAwsError(error)))); // requests of an interrupted upload end with the process
  }
  if (onReading === undefined) process.exitCode = await runWithinMemory();
  else process.exitCode = await load(folder, table, choice, Number(maxProblems), onReading);
  if (process.connected) process.disconnect();
});

type Choice = Pick<
  LoadOptions,
  'replace' | 'check' | 'accept' | 'productIds' | 'currency' | 'attribution' | 'maxDrop' | 'maxGrowth' | 'finality'
>;

/** @returns the directory's files; `onReading` is called with each before it is read */
function observedSource(folder: string, onReading: (name: string) => void): FileSource {
  const source = directorySource(folder);
  return {
    ...source,
    read: (name) => {
      onReading(name);
      return source.read(name);
    },
    pathOf: (name) => {
      onReading(name);
      return source.pathOf?.(name) ?? name;
    },
  };
}

async function load(
  folder: string,
  tableName: string | undefined,
  choice: Choice,
  maxProblems: number,
  onReading: (file: string | undefined) => void,
): Promise<number> {
  const target = await openTarget({ table: tableName, throttling: pacedWrites(), ...readCliEnvironment() });
  const view = showProgress(process.stderr);
  const note = (text: string) => {
    view.end();
    writeLine(process.stderr, text);
  };
  try {
    return await interruptible(
      () => note('interrupted: removing what was written'),
      async (signal) => {
        if (target.holdsDemo)
          note(
            `The data folder holds the demo network. ${explainOtherDataDir(`npm run load -- ${quoteForShell(folder)}`)}`,
          );
        const isEmpty = await isEmptyTable(target.table);
        note(
          `${choice.check ? 'checking' : 'loading'} ${resolve(folder)} ${choice.check ? 'against' : 'into'} ${target.description}${isEmpty ? ', which is empty' : ''}`,
        );
        const { table, timeZone, userIdKey } = target;
        const onProgress = (progress: Progress) => {
          if (progress.stage !== 'check') onReading(undefined);
          if (!signal.aborted && !(choice.check && progress.stage !== 'check'))
            view.update({ ...progress, throttledTo: table.throttledTo });
        };
        const limits = { problems: maxProblems };
        const actor = await target.actor();
        const report = await loadFolder({
          folder,
          source: observedSource(folder, onReading),
          table,
          timeZone,
          userIdKey,
          ...choice,
          markedAt: new Date(),
          actor,
          onChange: ({ at: _, ...change }) => logChangeOfCommand(change),
          limits,
          signal,
          onProgress,
          onNote: note,
        }).catch(async (error: unknown) => {
          if (error === signal.reason) {
            note('endcap: the load was interrupted, and nothing has changed');
            throw error;
          }
          const explained = await target.explain(error);
          if (signal.aborted) {
            note(
              'endcap: the load was interrupted, perhaps while it committed: run it again to make sure that the folder is loaded',
            );
            note(`endcap: ${explained instanceof Error ? explained.message : String(explained)}`);
          }
          throw explained;
        });
        view.end();
        const code = printReport(report, 'use --max-errors to show more');
        if (!choice.check) await recordRejection(table, { folder, actor }, report);
        return code;
      },
    );
  } finally {
    view.end();
    await target.close();
  }
}

/** @returns whether nothing was ever loaded into the table; false if the table cannot be read, which the load reports */
async function isEmptyTable(table: Table): Promise<boolean> {
  return readCommit(table).then(
    ({ commit }) => commit === 0,
    () => false,
  );
}
