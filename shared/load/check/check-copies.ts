import { digestFile } from '../source/file-source.ts';
import type { FactDataFile } from '../source/find-files.ts';
import type { Reading } from '../source/sections.ts';
import type { ReadFacts } from './read-facts.ts';

/**
 * Rejects fact files of a table that have the same bytes, such as `delivery.csv` and `delivery (1).csv`: their rows would be counted twice. Only files of equal
 * size without `sha256` are read again. Files without rows may be equal.
 */
export async function checkCopies(
  { source, problems, signal }: Pick<Reading, 'source' | 'problems' | 'signal'>,
  files: readonly FactDataFile[],
  facts: readonly ReadFacts[],
): Promise<void> {
  const emptyFiles = new Set(facts.flatMap((table) => table.emptyFiles));
  const filled = files.filter((file) => !emptyFiles.has(file.name));
  const bySize = Map.groupBy(filled, ({ experience, table, bytes }) => `${experience}/${table}/${bytes}`);
  for (const same of bySize.values()) {
    if (same.length === 1) continue;
    const names = new Map<string, string>();
    for (const { name, sha256 } of same) {
      const digest = sha256 ?? (await digestFile(source, name, signal));
      const other = names.get(digest);
      if (other === undefined) names.set(digest, name);
      else
        problems.addFile(
          name,
          `is a copy of ${other}: its rows would be counted twice; if both are meant, join them into one file`,
        );
    }
  }
}
