import { daysIn, PLATFORM_ID } from '../../shared/layout/partitions.ts';
import { readNetwork } from '../../shared/load/listings/known-network.ts';
import { describeDays } from '../../shared/load/write/describe-days.ts';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { readFactHeads, readManifests } from '../../shared/store/facts/manifests.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { describeAudit, summarizeLoad } from './describe-audit.ts';
import { readCliEnvironment } from './environment.ts';
import { openExistingTarget, TARGET_OPTIONS, TARGET_USAGE } from './open-target.ts';
import { readSince } from './read-since.ts';
import { readArguments, runCli, writeLine } from './run-cli.ts';

const USAGE = `usage: npx endcap audit [--since TIME] [--loads | --days] [--json] [TARGET]

Shows who created, changed and revoked keys, and which loads changed which listings and days or were rejected; oldest first.
  --since TIME       7d, 12h or 30m: how long ago; or a date or time (UTC) such as 2026-03-01 or 2026-03-01T12:00:00Z;
                     default: 7d
  --loads            only loads, in short: listings, rows of the changed days before and after, warnings and duration
  --days             instead, the days that have facts, of each advertiser, experience and fact table; advertiser 0 stands for market
  --json             one JSON object per line
TARGET is
${TARGET_USAGE}`;

await runCli(async () => {
  const options = {
    since: { type: 'string', default: '7d' },
    loads: { type: 'boolean', default: false },
    days: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    ...TARGET_OPTIONS,
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`unexpected argument ${positionals[0]}\n${USAGE}`);
  const now = Date.now();
  const since = readSince(values.since, now);
  const target = await openExistingTarget({ ...values, ...readCliEnvironment() });
  try {
    if (values.days)
      for await (const row of readLoadedDays(target.table))
        writeLine(process.stdout, values.json ? JSON.stringify(row) : Object.values(row).flat().join('  '));
    else
      for (const entry of await readAudit(target.table, since, now)) {
        if (values.loads && !entry.action.startsWith('load')) continue;
        const line = values.loads && entry.action === 'load' ? summarizeLoad(entry) : describeAudit(entry);
        writeLine(process.stdout, values.json ? JSON.stringify(entry) : line);
      }
  } catch (error) {
    throw await target.explain(error);
  } finally {
    await target.close();
  }
});

/** @returns the ranges of days that have facts, by advertiser (also delisted ones; 0 for market), experience and fact table */
async function* readLoadedDays(target: Table) {
  const state = await readCommit(target);
  const { advertisers } = await readNetwork(target, state, ['advertisers']);
  const heads = await readFactHeads(target, [PLATFORM_ID, ...advertisers.map(({ id }) => id)], state);
  for (const { advertiserId, months } of heads.values())
    for (const [experience, tables] of months)
      for (const [table, list] of tables) {
        const refs = list.map((month) => ({ advertiserId, experience, table, month }));
        const dates = (await readManifests(target, refs, state)).flatMap(({ ref: { month }, runs }) =>
          daysIn(runs).map(({ day }) => `${month}-${String(day).padStart(2, '0')}`),
        );
        yield { advertiserId, experience, table, days: describeDays(dates) };
      }
}
