import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decompress } from '../../../shared/load/source/text-blocks.ts';

const FIRST = gzipSync('first row\n');
const SECOND = gzipSync('second row\n');

/** @returns the text of a file that is read in pieces of some bytes */
async function read(file: Buffer, pieceBytes: number): Promise<string> {
  const pieces = async function* () {
    for (let start = 0; start < file.length; start += pieceBytes) yield file.subarray(start, start + pieceBytes);
  };
  const unpacked = await Array.fromAsync(decompress(pieces(), file.length));
  return Buffer.concat(unpacked).toString();
}

describe.each([1, 7, FIRST.length, FIRST.length + 1, 1 << 20])('a gzipped file in pieces of %i bytes', (pieceBytes) => {
  test('may have several members', async () => {
    expect(await read(Buffer.concat([FIRST, SECOND]), pieceBytes)).toBe('first row\nsecond row\n');
  });

  /** Node stops at a zero after a member: a second row after it was not loaded, without an error. */
  test.each([
    ['zeros', Buffer.alloc(512)],
    ['a zero', Buffer.alloc(1)],
    ['a zero and a member', Buffer.concat([Buffer.alloc(1), SECOND])],
  ])('is rejected if %s follow', async (_, rest) => {
    const file = Buffer.concat([FIRST, SECOND, rest]);
    await expect(read(file, pieceBytes)).rejects.toThrow('has zeros after its gzip data');
  });

  test('is rejected if other bytes follow a member', async () => {
    await expect(read(Buffer.concat([FIRST, Buffer.from('other')]), pieceBytes)).rejects.toThrow('damaged gzip');
  });
});

/** Node's stream ends after the first frame, without an error. */
test('zstd is decompressed, and rejected if it has several frames or is truncated', async () => {
  const frame = zstdCompressSync('a row\n');
  expect(await read(frame, 3)).toBe('a row\n');
  await expect(read(Buffer.concat([frame, frame]), 1 << 20)).rejects.toThrow('has several zstd frames');
  await expect(read(frame.subarray(0, -1), 3)).rejects.toThrow('is truncated or damaged zstd');
});

test('other bytes are returned as they are', async () => {
  for (const text of ['', 'a', 'id,name\n']) expect(await read(Buffer.from(text), 2)).toBe(text);
});
