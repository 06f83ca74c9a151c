import type { Table } from './client.ts';
import type { CommitState } from './commit-state.ts';
import type { CommitWriter } from './commit-writer.ts';
import type { Item } from './item.ts';
import { asRecord, listIn } from './item.ts';
import type { Key, Retention } from './keys.ts';

/**
 * A head is an item that lists the versions of something: what each commit made of it. It is overwritten, always by one writer after another and
 * under the condition that no later one has written it, so a writer that lost its lease cannot undo what came after.
 */
export interface Version {
  readonly n: number;
  /** null: the thing does not exist as of this version. */
  readonly value: unknown;
}

/** A new version of the head at `key`, of which `stored` was read under the writer's lease. */
export interface HeadChange {
  readonly key: Key;
  readonly stored: Item | undefined;
  readonly value: unknown;
  readonly retention: Retention;
}

/** @returns the version that a reader of `state` sees; undefined where there is none, or where the thing does not exist. */
export function visibleVersion(item: Item | undefined, state: CommitState): Version | undefined {
  const version = item === undefined ? undefined : newest(versionsOf(item), state);
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

/**
 * Adds the load's version to each head. Versions that no reader can ask for any more are dropped on the way.
 * They are written when the writer is flushed; that throws when a later load has written one of them, because then this one has lost its lease.
 */
export async function writeHeads(writer: CommitWriter, changes: readonly HeadChange[]): Promise<void> {
  await writer.putHeads(
    changes.map(({ key, stored, value, retention }) => ({
      pk: key.pk,
      sk: key.sk,
      by: writer.n,
      versions: [
        ...(stored === undefined ? [] : stillReadable(versionsOf(stored), writer, writer.floors[retention])),
        { n: writer.n, value },
      ],
    })),
  );
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

function newest(versions: readonly Version[], state: CommitState): Version | undefined {
  return versions.findLast(({ n }) => n <= state.commit && !state.aborted.has(n));
}

/** Readers are at commits ≥ floor, so of the versions up to the floor they only ever see the newest. */
function stillReadable(versions: readonly Version[], writer: CommitWriter, floor: number): Version[] {
  const { aborted } = writer.state;
  const base = newest(versions, { commit: floor, aborted });
  return versions.filter(
    (version) =>
      version.n !== writer.n &&
      !aborted.has(version.n) &&
      (version.n > floor || (version === base && version.value !== null)),
  );
}
