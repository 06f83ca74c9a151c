import { describe, expect, test } from 'vitest';
import { decodeManifest, encodeManifest, type StoredDay } from '../../../shared/store/facts/manifest-codec.ts';
import { randomBytes } from '../fact-days.ts';

describe('a manifest', () => {
  const days: StoredDay[] = [
    { day: 1, version: 1, rows: 2 ** 40, isPacked: true, hash: randomBytes(1, 8), columns: new Map() },
    {
      day: 31,
      version: 4_000_000_000,
      rows: 127,
      isPacked: false,
      hash: randomBytes(2, 8),
      columns: new Map([
        ['clicks', { chunks: 2, bytes: 358_401, distinct: 0 }],
        ['keyword', { chunks: 0, bytes: 0, distinct: 128 }],
      ]),
    },
    {
      day: 9,
      version: 3,
      rows: 1,
      isPacked: true,
      hash: randomBytes(3, 8),
      columns: new Map([['cost', { chunks: 0, bytes: 5, distinct: 1 }]]),
    },
    {
      day: 10,
      version: 3,
      rows: 1,
      isPacked: true,
      monthOffset: 0,
      hash: randomBytes(4, 8),
      columns: new Map([['cost', { chunks: 0, bytes: 5, distinct: 1 }]]),
    },
    {
      day: 30,
      version: 3,
      rows: 1,
      isPacked: true,
      monthOffset: 5,
      hash: randomBytes(5, 8),
      columns: new Map([['clicks', { chunks: 0, bytes: 400_000, distinct: 0 }]]),
    },
  ];

  test('is decoded as it was encoded', () => {
    expect(decodeManifest(encodeManifest(days), 'here')).toEqual(days);
    expect(decodeManifest(encodeManifest([]), 'here')).toEqual([]);
  });

  test('never decodes to other days if a bit is flipped, and is rejected by name if it is truncated', () => {
    const encoded = encodeManifest(days);
    for (let bit = 0; bit < 8 * encoded.length; bit += 1) {
      const flipped = encoded.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      let decoded: unknown;
      try {
        decoded = decodeManifest(flipped, 'here');
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining('here') });
        continue;
      }
      expect(decoded).toEqual(days); // a bit without meaning, such as a reserved one
    }
    for (let length = 0; length < encoded.length; length += 1) {
      expect(() => decodeManifest(encoded.subarray(0, length), 'here')).toThrow('here');
    }
  });
});
