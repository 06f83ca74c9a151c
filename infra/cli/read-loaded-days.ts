import { daysIn, PLATFORM_ID } from '../../shared/catalog/partitions.ts';
import { readNetwork } from '../../shared/load/check/known-network.ts';
import { describeDays } from '../../shared/load/write/describe-days.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { readFactHeads, readManifests } from '../../shared/store/facts/manifests.ts';
import type { Table } from '../../shared/store/table/table.ts';

/** @returns the ranges of days that have facts, by advertiser (also delisted ones; 0 for market), experience and fact table */
export async function* readLoadedDays(target: Table) {
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
