import type { DataFile } from './find-files.ts';
import { UnreadableFileError } from './row-batch.ts';
import { contentOf, type Reading } from './sections.ts';
import { peek } from './text-blocks.ts';

/** Larger files are not gzip or zstd of nothing, whose header may have a name. */
const MAX_EMPTY_BYTES = 1_024;

/**
 * Skips files without bytes beside others, as Spark and Glue write them for partitions without rows, with a warning.
 * @param isListing whether files without bytes alone are a problem in every format: they do not say that the listing is empty
 * @returns the files to be read
 */
export async function skipEmptyFiles<F extends DataFile>(
  reading: Reading,
  files: readonly F[],
  isListing: boolean,
): Promise<readonly F[]> {
  const empty = new Set<F>();
  for (const file of files) if (await isEmpty(reading, file)) empty.add(file);
  if (empty.size < files.length) {
    for (const { name } of empty) reading.problems.warnings.push(`${name}: is empty, and skipped`);
    return files.filter((file) => !empty.has(file));
  }
  if (!isListing) return files;
  for (const { name } of files)
    reading.problems.addFile(name, 'is empty: a listing without rows has a header, or in NDJSON an empty line');
  return [];
}

async function isEmpty(reading: Reading, file: DataFile): Promise<boolean> {
  if (file.bytes === 0 || file.bytes > MAX_EMPTY_BYTES) return file.bytes === 0;
  try {
    const { head, close } = await peek(contentOf(reading, file));
    await close();
    return head.length === 0;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false; // reported when it is read
    throw error;
  }
}
