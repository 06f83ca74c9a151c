import { expect, test } from 'vitest';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import { UnreadableFileError } from '../../../shared/load/source/row-batch.ts';
import { dataPage, ENCODINGS, littleEndian, parquetFile, TYPES } from './parquet-pages.ts';

const ROWS = 8;
const VALUES = Array.from({ length: ROWS }, (_, i) => i);
const PAGE = dataPage(ROWS, ENCODINGS.plain, VALUES.flatMap(littleEndian));
const FILE = parquetFile({ type: TYPES.int32, isRequired: true, rows: ROWS, pages: [PAGE] });
const MAGIC_BYTES = 4;

/** @returns the columns and the number of rows, or why the file is not readable; any other error fails the test */
async function read(file: Uint8Array<ArrayBuffer>): Promise<{ names: string[]; rows: number } | string> {
  try {
    const parquet = await ParquetFile.open(file.buffer);
    const names = [...parquet.elements.keys()];
    let rows = 0;
    for (const range of parquet.ranges()) {
      await parquet.rows(range).read('x');
      rows += range.end - range.start;
    }
    return { names, rows };
  } catch (error) {
    if (error instanceof UnreadableFileError) return error.message;
    throw error;
  }
}

test('no change of a byte of the metadata loses rows or the name of a column without an error', async () => {
  expect(await read(FILE)).toEqual({ names: ['x'], rows: ROWS });
  const kinds = new Set<string>();
  const messages = new Set<string>();
  for (let at = MAGIC_BYTES + PAGE.length; at < FILE.length; at++) {
    for (const byte of [0, 1, 2, 0x10, 0x7f, 0x80, 0xff]) {
      const outcome = await read(FILE.with(at, byte));
      if (typeof outcome !== 'string') {
        expect(outcome, `byte ${at} as ${byte}`).toEqual({ names: [expect.any(String)], rows: ROWS });
        continue;
      }
      const kind =
        /row groups have|no number of rows|no name|values in a row group|in its tree|may be null/.exec(outcome)?.[0] ??
        'other';
      messages.add(outcome);
      kinds.add(kind);
    }
  }
  expect([...kinds].sort()).toEqual([
    'in its tree',
    'may be null',
    'no name',
    'no number of rows',
    'other',
    'row groups have',
    'values in a row group',
  ]);
  // fastparquet writes such files with has_nulls=None, so the message says what to do
  expect([...messages]).toContain(
    'is not readable Parquet: parquet column x does not state whether it may be null or repeated: write the file again, with fastparquet with has_nulls=True',
  );
});
