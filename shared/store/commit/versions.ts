import { asRecord, type Item, listIn } from '../table/item.ts';
import type { Key } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import type { CommitState } from './commit-state.ts';

/** What has the number of the load that wrote it. */
export interface Numbered {
  readonly n: number;
  /** The earliest of the versions that it stands for, because the head had too many; absent = itself. */
  readonly from?: number;
}

/**
 * One version in a head. A head is an item that lists the recent versions of something. Each load that changes the thing rewrites the head, on the
 * condition that no later load has written it, so a writer that has lost its lease cannot overwrite later versions.
 */
export interface Version extends Numbered {
  /** null if the thing does not exist in this version. */
  readonly value: unknown;
}

/**
 * The number of versions of a head that may contain data of some KiB. Data of later versions is in chunks: the item, which has at most 400 KB, must hold the
 * versions of all loads within a minute.
 */
export const MAX_INLINE_VERSIONS = 20;

/** @returns the version of a head that is visible at `state`; undefined if there is none, or if the thing does not exist in it */
export function visibleVersion(head: Item | undefined, state: CommitState): Version | undefined {
  if (head === undefined) return undefined;
  const version = findVersion(versionsOf(head), state);
  return version?.value === null ? undefined : version;
}

/** @returns the versions of each head, ascending; none of one that does not exist */
export function versionsOfHeads(heads: readonly (Item | undefined)[]): Version[][] {
  return heads.map((head) => (head === undefined ? [] : versionsOf(head)));
}

/** @returns all versions of a head, ascending */
export function versionsOf(head: Item): Version[] {
  return listIn(head, 'versions').map((member) => {
    const version = asRecord(member);
    if (typeof version?.n !== 'number') throw new Error(`a version in the item ${head.pk} / ${head.sk} has no number`);
    return { n: version.n, value: version.value, ...(typeof version.from === 'number' && { from: version.from }) };
  });
}

/** Removes version `n`, which is the newest one, from the heads. A head without another version is deleted. */
export async function removeVersion(table: Table, keys: readonly Key[], n: number): Promise<void> {
  const heads = await table.getMany(keys, { consistent: true });
  await Promise.all(
    heads.map(async (head) => {
      const versions = head === undefined ? [] : versionsOf(head);
      if (head === undefined || !versions.some((version) => version.n === n)) return;
      const left = versions.filter((version) => version.n !== n);
      const last = left.at(-1);
      // if the condition fails, a later load has rewritten the head without this version
      const condition = { text: '#by = :n', values: { n } };
      if (last === undefined) await table.delete(head, condition);
      else await table.put({ ...head, by: last.n, versions: left }, condition);
    }),
  );
}

/** @returns the version that is visible at `state`, including one in which the thing does not exist; undefined if there is none */
export function findVersion<V extends Numbered>(versions: readonly V[], state: CommitState): V | undefined {
  return versions.findLast(({ n, from = n }) => from <= state.commit && !state.aborted.has(n));
}
