import { expect, test } from 'vitest';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import { CODECS, dataPage, dictionaryPage, ENCODINGS, levels, parquetFile, run, TYPES } from './parquet-pages.ts';

/** A frame of LZ4, as Arrow writes it: two big-endian lengths, then a block of literals. */
function frameOf(content: readonly number[]): number[] {
  const block = content.length === 0 ? [] : [content.length << 4, ...content];
  return [0, 0, 0, content.length, 0, 0, 0, block.length, ...block];
}

test('a column without values is read, although its dictionary is an empty frame of LZ4', async () => {
  const content = [...levels(...run(3, 0)), 0];
  const bytes = parquetFile({
    ...{ type: TYPES.byteArray, rows: 3, codec: CODECS.lz4, hasDictionary: true },
    pages: [
      dictionaryPage(0, frameOf([]), 0),
      dataPage(3, ENCODINGS.dictionary, frameOf(content), undefined, content.length),
    ],
  });
  const file = await ParquetFile.open(bytes.buffer);
  expect(Array.from(await file.rows({ start: 0, end: 3 }).read('x'))).toEqual([null, null, null]);
});
