import type { FactTable } from '../../catalog/tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import { factColumns } from '../schema/fact-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { FactPartitions } from './spill.ts';

/**
 * Finds files of a table that have rows of the same day, but not the same columns: sums by the column would be those of some files. A missing key is a problem,
 * a missing measure or `users` a warning; once per file and column.
 * @param files each with its columns; undefined if its format does not list them
 */
export function checkColumns(
  table: FactTable,
  files: readonly { readonly name: string; readonly columns: ReadonlySet<string> | undefined }[],
  partitions: FactPartitions,
  problems: Problems,
): void {
  for (const { name, role } of factColumns(table)) {
    const has = new Set(files.filter(({ columns }) => columns?.has(name)));
    const lacks = new Set(files.filter(({ columns }) => columns?.has(name) === false));
    if (has.size === 0 || lacks.size === 0) continue;
    for (const { day, sequence } of partitions.days()) {
      const ofDay = sequence.runs.flatMap((run) => files[run.file] ?? []);
      const other = ofDay.find((file) => has.has(file));
      for (const file of other === undefined ? [] : ofDay.filter((one) => lacks.delete(one))) {
        const reason = `lacks the column ${name}, which ${other?.name} has with rows of the same day, ${formatDay(day)}`;
        if (role === 'key') problems.addFile(file.name, `${reason}: add it, empty where it has no value`);
        else problems.warnings.push(`${file.name}: ${reason}: sums of the day are those of some files`);
      }
    }
  }
}
