import { dayNumber } from '../../lib/calendar.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import { loadTableRef } from '../../store/table/item-keys.ts';
import type { Table } from '../../store/table/table.ts';
import { packRows, unpackRows } from '../listings/pack-rows.ts';
import type { CheckedFolder } from './check-folder.ts';

/** What a folder replaces in a fact table or listing, and when it was complete (ISO). A listing has the day and the advertiser 0. */
interface MarkedTable {
  readonly at: string;
  readonly name: string;
  readonly days: readonly number[];
  readonly advertisers: readonly number[];
}

const MARKED = loadTableRef('marked-loads');
/** How long loads are remembered: no folder waits longer, in the queue or for listings. */
export const KEEP_MARKS_MS = 14 * 86_400_000;

/** @returns how the folder is older than a load of the same data, as the end of a sentence; undefined if it is not */
export async function explainOlder(table: Table, checked: CheckedFolder, markedAt: Date): Promise<string | undefined> {
  const own = describeFolder(checked, markedAt);
  for (const later of await readMarked(table, checked)) {
    const older = own.find(({ at, name, days, advertisers }) => {
      const isSame = name === later.name && days.some((day) => later.days.includes(day));
      return at < later.at && isSame && advertisers.some((id) => later.advertisers.includes(id));
    });
    if (older !== undefined)
      return `was complete at ${older.at}, before a load of the same ${older.name} that was at ${later.at}`;
  }
  return undefined;
}

/** Records the folder, so that older ones are recognized. */
export async function recordMarked(writer: CommitWriter, checked: CheckedFolder, markedAt: Date): Promise<void> {
  const first = new Date(markedAt.getTime() - KEEP_MARKS_MS).toISOString();
  const kept = (await readMarked(writer.table, checked)).filter(({ at }) => at > first);
  const all = [...kept, ...describeFolder(checked, markedAt)];
  await writeEncodedTable(writer, MARKED, packRows(all.length, all.slice.bind(all)));
}

async function readMarked(table: Table, { state }: CheckedFolder): Promise<MarkedTable[]> {
  const [stored] = await readEncodedTables(table, [MARKED], state);
  return [...unpackRows(stored, 'marked loads')] as MarkedTable[]; // as recordMarked has packed them
}

function describeFolder({ facts, listings, emptied }: CheckedFolder, markedAt: Date): MarkedTable[] {
  const at = markedAt.toISOString();
  const whole = [...listings.values()].filter(({ patch }) => patch === undefined);
  const written = facts.flatMap(({ partitions }) => partitions.days());
  const removed = emptied.flatMap(({ ref, days }) => {
    const first = dayNumber(`${ref.month}-01`);
    return days.map((day) => ({ ...ref, day: first + day - 1 }));
  });
  const byAdvertiser = Map.groupBy([...written, ...removed], ({ experience, table, advertiserId }) =>
    [experience, table, advertiserId].join('/'),
  );
  const entries = [...byAdvertiser.values()].flatMap((replaced) => {
    const [first] = replaced;
    if (first === undefined) return [];
    const { experience, table, advertiserId } = first;
    return { name: `days of facts/${experience}/${table}`, days: replaced.map(({ day }) => day), advertiserId };
  });
  // advertisers with the same days share an entry
  const byDays = Map.groupBy(entries, ({ name, days }) => `${name} ${days.join()}`);
  return [
    ...whole.map(({ listing }) => ({ at, name: listing, days: [0], advertisers: [0] })),
    ...[...byDays.values()].flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      return { at, name: first.name, days: first.days, advertisers: same.map(({ advertiserId }) => advertiserId) };
    }),
  ];
}
