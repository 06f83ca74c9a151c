/** A process that reads the column `x` of each Parquet file that it receives. */
import { Problems } from '../../../shared/load/schema/problems.ts';
import { COUNT } from '../../../shared/load/schema/value-types.ts';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import { FileSink, UnreadableFileError } from '../../../shared/load/source/row-batch.ts';
import { peakMemory } from '../../support/memory.ts';

const COLUMNS = [{ name: 'x', type: COUNT, required: true, about: 'The only column of the files.' }] as const;

process.on('message', async ({ bytes, concurrent }: { bytes: Uint8Array; concurrent: number }) => {
  const outcomes = await Promise.all(Array.from({ length: concurrent }, () => read(Uint8Array.from(bytes))));
  process.send?.({ outcome: [...new Set(outcomes)].join(' and '), maxRss: peakMemory() });
});

// the modules are loaded, so the memory from here on is that of files
process.send?.({ outcome: 'started', maxRss: peakMemory() });

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  try {
    const slice = async (start: number, end = bytes.length) => bytes.slice(start, end).buffer;
    const file = await ParquetFile.open({ byteLength: bytes.length, slice });
    new FileSink('x.parquet', COLUMNS, new Problems(10)).header([...file.elements.keys()], 1);
    let rows = 0;
    for (const range of file.ranges()) rows += (await file.rows(range).read('x')).length;
    return `${rows} rows`;
  } catch (error) {
    if (error instanceof UnreadableFileError) return error.message;
    return `unexpected: ${error instanceof Error ? error.stack : String(error)}`;
  }
}
