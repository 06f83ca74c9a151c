import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { asRecord, listIn } from '../table/item.ts';
import type { Key } from '../table/keys.ts';
import type { CommitState } from './commit-state.ts';

/**
 * A head is an item that lists the versions of something: what each commit made of it. It is overwritten, always by one writer after another and
 * under the condition that no later one has written it, so a writer that lost its lease cannot undo what came after.
 */
export interface Version {
  readonly n: number;
  /** null: the thing does not exist as of this version. */
  readonly value: unknown;
}

/** @returns the version that a reader of `state` sees; undefined where there is none, or where the thing does not exist. */
export function visibleVersion(item: Item | undefined, state: CommitState): Version | undefined {
  const version = item === undefined ? undefined : versionAsOf(versionsOf(item), state);
  return version?.value === null ? undefined : version;
}

/** @returns the highest number among the versions of the heads, 0 where there are none. */
export function newestVersion(items: readonly (Item | undefined)[]): number {
  const newestOf = (item: Item | undefined) => (item === undefined ? 0 : (versionsOf(item).at(-1)?.n ?? 0));
  return items.reduce((most, item) => Math.max(most, newestOf(item)), 0);
}

/** @returns all versions, ascending. */
export function versionsOf(item: Item): Version[] {
  return listIn(item, 'versions').map((member) => {
    const version = asRecord(member);
    if (typeof version?.n !== 'number') throw new Error(`the item ${item.pk} / ${item.sk} lists no versions`);
    return { n: version.n, value: version.value };
  });
}

/** Takes version `n` out of the heads, as if it had never been written. */
export async function removeVersion(table: Table, keys: readonly Key[], n: number): Promise<void> {
  const items = await table.getMany(keys, { consistent: true });
  await Promise.all(
    items.map(async (item) => {
      const versions = item === undefined ? [] : versionsOf(item);
      if (item === undefined || !versions.some((version) => version.n === n)) return;
      const left = versions.filter((version) => version.n !== n);
      const last = left.at(-1);
      // when the condition fails, a later load has rewritten the head, and has dropped the version itself
      const condition = { text: '#by = :n', values: { n } };
      if (last === undefined) await table.delete(item, condition);
      else await table.put({ ...item, by: last.n, versions: left }, condition);
    }),
  );
}

/** @returns the newest version that a reader of `state` sees, also where it says that the thing does not exist. */
export function versionAsOf(versions: readonly Version[], state: CommitState): Version | undefined {
  return versions.findLast(({ n }) => n <= state.commit && !state.aborted.has(n));
}
