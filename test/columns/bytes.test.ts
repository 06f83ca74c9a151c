import { expect, test } from 'vitest';
import { ByteReader, ByteWriter } from '../../shared/columns/bytes.ts';

test('integers below 2^53 are read as they were written, and larger ones are rejected', () => {
  for (const value of [0, 127, 128, 2 ** 49, Number.MAX_SAFE_INTEGER])
    expect(new ByteReader(new ByteWriter().varint(value).finish(), 'x').varint()).toBe(value);
  const tooLarge = [
    [...Array(7).fill(0x80), 0x10],
    [...Array(8).fill(0x80), 0x7f],
    [...Array(8).fill(0x80), 0x80, 0x01],
  ];
  for (const bytes of tooLarge)
    expect(() => new ByteReader(Uint8Array.from(bytes), 'x').varint()).toThrow('an integer has more than 53 bits');
});
