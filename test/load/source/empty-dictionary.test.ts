import { expect, test } from 'vitest';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import { CODECS, dataPage, dictionaryPage, ENCODINGS, levels, parquetFile, run, TYPES } from './parquet-pages.ts';

/** A frame of LZ4, as Arrow once wrote it: two big-endian lengths, then a block of literals. */
function frameOf(content: readonly number[]): number[] {
  const block = content.length === 0 ? [] : [content.length << 4, ...content];
  return [0, 0, 0, content.length, 0, 0, 0, block.length, ...block];
}

/** As Arrow writes it today, without lengths. */
function blockOf(content: readonly number[]): number[] {
  return [content.length << 4, ...content];
}

const FORMS = [
  ['a frame', CODECS.lz4, frameOf],
  ['a block', CODECS.lz4Raw, blockOf],
] as const;

test.each(FORMS)(
  'a column without values is read, although its dictionary is %s of LZ4 without content',
  async (_, codec, pack) => {
    const content = [...levels(...run(3, 0)), 0];
    const file = parquetFile({
      ...{ type: TYPES.byteArray, rows: 3, codec, hasDictionary: true },
      pages: [
        dictionaryPage(0, pack([]), 0),
        dataPage(3, ENCODINGS.dictionary, pack(content), undefined, content.length),
      ],
    });
    expect(await read(file)).toEqual([null, null, null]);
  },
);

test.each(FORMS)(
  'a column without lists is read, although its dictionary is %s of LZ4 without content',
  async (_, codec, pack) => {
    const [repetition, definition] = [levels(...run(3, 0)), levels(...run(3, 0))];
    const content = [...repetition, ...definition, 0];
    const file = parquetFile({
      ...{ type: TYPES.byteArray, isList: true, rows: 3, codec, hasDictionary: true },
      pages: [
        dictionaryPage(0, pack([]), 0),
        dataPage(3, ENCODINGS.dictionary, pack(content), undefined, content.length),
      ],
    });
    expect(await read(file)).toEqual([null, null, null]);
  },
);

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<unknown[]> {
  const file = await ParquetFile.open(bytes.buffer);
  return Array.from(await file.rows({ start: 0, end: 3 }).read('x'), (value) => value ?? null);
}
