import type { Item } from '../table/item.ts';
import type { Key, Retention } from '../table/item-keys.ts';
import type { CommitWriter } from './commit-writer.ts';
import { findVersion, type Version, versionsOf } from './versions.ts';

/** Every read of the thing reads them all, about 80 bytes each, and an item has at most 400 KB. Hourly loads make 744 within the longest retention. */
const MAX_VERSIONS = 1_000;

/** A new version of the head at `key`. */
interface HeadChange {
  readonly key: Key;
  /** The head as read under the writer's lease. */
  readonly stored: Item | undefined;
  /** null if the thing no longer exists. */
  readonly value: unknown;
  readonly retention: Retention;
}

/**
 * Adds the load's version to each head and drops versions that no reader can see any more. Of too many versions, the oldest are dropped, and their readers see the next one. A head whose thing no longer exists is superseded. The heads are written at the latest when the writer is
 * flushed, which throws if a later load has written one of them, because then this load has lost its lease.
 */
export async function writeHeads(writer: CommitWriter, changes: readonly HeadChange[]): Promise<void> {
  await writer.putHeads(
    changes.map(({ key, stored, value, retention }) => {
      const readable = stored === undefined ? [] : selectReadable(versionsOf(stored), writer, writer.floors[retention]);
      return { pk: key.pk, sk: key.sk, by: writer.n, versions: joinOldest([...readable, { n: writer.n, value }]) };
    }),
  );
  for (const { key, value, retention } of changes) if (value === null) await writer.supersede([key], retention);
}

/** @returns the versions that readers can see: those above the floor, and the one that is visible at the floor */
function selectReadable(versions: readonly Version[], writer: CommitWriter, floor: number): Version[] {
  const { aborted } = writer.state;
  const base = findVersion(versions, { commit: floor, aborted });
  return versions.filter(
    (version) =>
      version.n !== writer.n &&
      !aborted.has(version.n) &&
      (version.n > floor || (version === base && version.value !== null)),
  );
}

function joinOldest(versions: readonly Version[]): readonly Version[] {
  const from = versions[0]?.from ?? versions[0]?.n ?? 0;
  return versions.slice(-MAX_VERSIONS).map((kept, i) => (i === 0 && from < kept.n ? { ...kept, from } : kept));
}
