import type { Item } from '../table/item.ts';
import type { Key, Retention } from '../table/keys.ts';
import type { CommitWriter } from './commit-writer.ts';
import { type Version, versionAsOf, versionsOf } from './versions.ts';

/** A new version of the head at `key`, of which `stored` was read under the writer's lease. */
export interface HeadChange {
  readonly key: Key;
  readonly stored: Item | undefined;
  readonly value: unknown;
  readonly retention: Retention;
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

/** Readers are at commits ≥ floor, so of the versions up to the floor they only ever see the newest. */
function stillReadable(versions: readonly Version[], writer: CommitWriter, floor: number): Version[] {
  const { aborted } = writer.state;
  const base = versionAsOf(versions, { commit: floor, aborted });
  return versions.filter(
    (version) =>
      version.n !== writer.n &&
      !aborted.has(version.n) &&
      (version.n > floor || (version === base && version.value !== null)),
  );
}
