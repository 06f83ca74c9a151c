import { expect, test } from 'vitest';
import { ByteReader, ByteWriter } from '../../shared/columns/bytes.ts';

/** A check against 2^53 rejected loads whose rows all had the same larger value. */
test('integers, and doubles up to 2^62 that are integers, are read as they were written; longer ones are rejected', () => {
  for (const value of [0, 127, 128, 2 ** 49, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 62])
    expect(new ByteReader(new ByteWriter().varint(value).finish(), 'x').varint()).toBe(value);
  const tooLong = Uint8Array.from([...Array(9).fill(0x80), 0x01]);
  expect(() => new ByteReader(tooLong, 'x').varint()).toThrow('an integer has more than 63 bits');
});

test('an integer of nine bytes is written whole wherever the buffer ends', () => {
  for (let before = 0; before < 300; before++) {
    const written = new ByteWriter()
      .raw(new Uint8Array(before))
      .varint(2 ** 62)
      .finish();
    expect([before, written.length]).toEqual([before, before + 9]);
    expect(new ByteReader(written.subarray(before), 'x').varint()).toBe(2 ** 62);
  }
});
