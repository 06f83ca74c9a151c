import { type FactTable, type Measure, TABLE_MEASURES } from '../../catalog/tables.ts';
import { forEachConcurrently } from '../../lib/concurrency.ts';
import type { CodingPool } from '../code/coding-pool.ts';
import type { Repeats } from '../code/find-repeats.ts';
import { MAX_EXAMPLES, type Problems } from '../schema/problems.ts';
import type { FactPartitions, Spill } from './spill.ts';

/**
 * Finds rows with equal keys in different files of a table: an old part beside the whole, or the same rows in two formats, would be counted twice. They are a
 * warning; if they are more than half of a file's rows, a problem.
 * @param files the files with their numbers of rows
 */
export async function checkRepeats(
  table: FactTable,
  files: readonly { readonly name: string; readonly rows: number }[],
  partitions: FactPartitions,
  { pool, spill, problems }: { readonly pool: CodingPool; readonly spill: Spill; readonly problems: Problems },
): Promise<void> {
  const pairs = new Map<string, Repeats>();
  const shared = partitions.days().filter(({ sequence }) => new Set(sequence.runs.map(({ file }) => file)).size > 1);
  await forEachConcurrently(shared, pool.concurrency, async ({ day, sequence }) => {
    const { rows, runs } = sequence;
    for (const found of await pool.findRepeats({ table, day, rows, runs, blocks: await spill.read(sequence) })) {
      const key = `${found.file}/${found.other}`;
      pairs.set(key, add(found, pairs.get(key)));
    }
  });
  const rejected = new Set<number>();
  for (const [file, own] of [...Map.groupBy(pairs.values(), (pair) => pair.file)].sort(([a], [b]) => b - a)) {
    const { name, rows } = files[file] ?? { name: '', rows: 0 };
    const [most, ...others] = own.sort((a, b) => b.rows - a.rows);
    if (most === undefined) continue;
    const describe = (pair: Repeats) =>
      `${pair.rows.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} rows have the keys of rows in ${files[pair.other]?.name} (${describeSums(table, pair)})`;
    if (own.reduce((sum, pair) => sum + pair.rows, 0) > rows / 2) {
      if (rejected.has(most.other)) continue;
      rejected.add(file);
      const reason = `${describe(most)}: they would be counted twice; remove one of the files or, if both are meant, write {"filesAddUp": true} into columns.json`;
      problems.addFile(name, `repeats another file: ${reason}`);
    } else {
      const later = [most, ...others].filter((pair) => pair.other < file);
      problems.warnings.push(...later.map((pair) => `${name}: ${describe(pair)}; both are counted`));
    }
  }
}

function add(found: Repeats, before: Repeats | undefined): Repeats {
  if (before === undefined) return found;
  const sums = new Map([...found.sums].map(([name, sum]) => [name, sum + (before.sums.get(name) ?? 0)]));
  return { ...found, rows: found.rows + before.rows, sums };
}

function describeSums(table: FactTable, { sums }: Repeats): string {
  const scales: Partial<Readonly<Record<Measure, number>>> = TABLE_MEASURES[table];
  const present = [...sums].filter(([, sum]) => sum !== 0).slice(0, MAX_EXAMPLES);
  const texts = present.map(([name, sum]) => `${name} ${(sum / (scales[name] ?? 1)).toLocaleString('en-US')}`);
  return texts.join(', ') || 'all figures are 0';
}
