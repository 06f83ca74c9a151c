import { isDeepStrictEqual } from 'node:util';
import { columnName } from '../../catalog/custom-fields.ts';
import type { Clock } from '../../lib/clock.ts';
import { writeChanges } from '../../store/changes/changes.ts';
import type { TableChange } from '../../store/commit/audit-entry.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import type { CheckedFolder } from '../check/check-folder.ts';
import type { LoadReport, Progress, RowChanges } from '../check/load-report.ts';
import { recordMarked } from '../check/marked-loads.ts';
import type { PartitionDays } from '../check/replacement.ts';
import { isListed, type Network } from '../listings/known-network.ts';
import { type CellRow, idKey } from '../listings/parse-rows.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import { formatProblem, type Problems } from '../schema/problems.ts';
import type { ChangeLimits, DayChanges } from './day-changes.ts';
import { describeDays } from './describe-days.ts';
import { type FactWriting, writeFacts } from './write-facts.ts';
import { writeNetwork } from './write-network.ts';

/** What a folder is written with. */
export interface FolderWriting extends FactWriting, ChangeLimits {
  /** Gets days beyond the limits unless they are accepted. If it has any problem, the load must be abandoned. */
  readonly problems: Problems;
  readonly accept?: boolean | undefined;
  readonly markedAt?: Date | undefined;
  readonly clock: Clock;
  /** When the load began, in `performance.now()`. */
  readonly startedAt: number;
  /** Who loads the folder. */
  readonly actor: string;
  /** The name of the folder. */
  readonly folder: string;
  readonly onProgress: (progress: Progress) => void;
}

/** Writes all of a checked folder. Readers see nothing of it before the writer has finished. */
export async function writeFolder(
  writer: CommitWriter,
  checked: CheckedFolder,
  writing: FolderWriting,
): Promise<LoadReport> {
  const { signal, clock, actor, folder, startedAt, onProgress } = writing;
  const { before, after, listings, facts, factWarnings, emptied, keepsHours, mayShrink, mayGrow, repeatedHours } =
    checked;
  const files = [...listings.keys()];
  const { outcomes, changed } = await writeNetwork(writer, { before, after }, files, signal, (done, total) =>
    onProgress({ stage: 'write listings', done, total, rows: 0 }),
  );
  const tables = facts.map((read) => ({ ...read, days: read.partitions.days() }));
  const days = tables.flatMap((table) => table.days);
  let done = 0;
  let rows = 0;
  const total = days.length + countDays(emptied);
  const changes = { days, emptied, keepsHours, mayShrink, mayGrow, repeatedHours };
  const onDays = (addedDays: number, addedRows: number) => {
    done += addedDays;
    rows += addedRows;
    onProgress({ stage: 'write facts', done, total, rows });
  };
  if (total > 0) onDays(0, 0);
  const dayChanges = await writeFacts(writer, changes, writing, onDays);
  const changedDays = dayChanges.byAdvertiser();
  const changedIds = new Set([...changed.keys(), ...changedDays.keys()]);
  await writeChanges(
    writer,
    new Map([...changedIds].map((id) => [id, { listings: changed.get(id), days: changedDays.get(id) }])),
  );
  for (const problem of dayChanges.miscounted()) writing.problems.add(problem);
  const exceeded = dayChanges.exceeded(writing);
  if (!writing.accept) for (const problem of exceeded) writing.problems.add(problem);
  const warnings = [
    ...checked.warnings,
    ...exceeded.map(formatProblem),
    ...factWarnings.list(),
    ...dayChanges.warnings(writing),
  ];
  const details = {
    listings: files.filter((file) => outcomes.get(file) === 'written'),
    facts: auditChanges(dayChanges),
    warnings: warnings.length,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
  const hasChanged = details.listings.length + Object.keys(details.facts).length > 0;
  if (writing.markedAt !== undefined && hasChanged) await recordMarked(writer, checked, writing.markedAt);
  const at = new Date(clock()).toISOString();
  writer.setAuditEntry({ at, actor, action: 'load', subject: folder, details });
  return {
    outcome: 'loaded',
    problems: [],
    problemCount: 0,
    warnings,
    listings: files.map((listing) => {
      const outcome = outcomes.get(listing) ?? 'unchanged';
      const listed = listedRows(after, listing);
      const changes = outcome === 'unchanged' ? NO_CHANGES : compareRows(listing, listedRows(before, listing), listed);
      return { listing, rows: listed.length, outcome, changes };
    }),
    facts: tables.map(({ experience, table, rows, days: own }) => ({ experience, table, rows, days: own.length })),
    changes: dayChanges.list(),
  };
}

/** @returns for each changed table, the ranges of loaded and emptied days, and of all of them the rows and cost before and after */
function auditChanges(changes: DayChanges): Readonly<Record<string, TableChange>> {
  const dates = changes.dates();
  const tables = changes.list().map(({ experience, table, rows, cost }) => {
    const name = `${experience}/${table}`;
    const { loaded = [], emptied = [] } = dates.get(name) ?? {};
    return [name, { loaded: describeDays(loaded), emptied: describeDays(emptied), rows, cost }] as const;
  });
  return Object.fromEntries(tables);
}

const NO_CHANGES: RowChanges = { added: 0, replaced: 0, removed: 0, columns: {} };

const listedRows = (network: Network, listing: ListingFile): readonly CellRow[] => network[listing].filter(isListed);

function compareRows(listing: ListingFile, before: readonly CellRow[], after: readonly CellRow[]): RowChanges {
  const keyOf = (row: CellRow) => idKey(listing, row)?.key;
  const left = new Map(before.map((row) => [keyOf(row), row]));
  const changes = { added: 0, replaced: 0 };
  const columns: Record<string, number> = {};
  for (const row of after) {
    const stored = left.get(keyOf(row));
    const names = stored === undefined ? [] : Object.keys({ ...stored, ...row });
    const changed = names.filter((name) => !isDeepStrictEqual(stored?.[name], row[name]));
    for (const name of changed.map(columnName)) columns[name] = (columns[name] ?? 0) + 1;
    if (stored === undefined) changes.added++;
    else if (changed.length > 0) changes.replaced++;
    left.delete(keyOf(row));
  }
  return { ...changes, removed: left.size, columns };
}

function countDays(emptied: readonly PartitionDays[]): number {
  return emptied.reduce((sum, { days }) => sum + days.length, 0);
}
