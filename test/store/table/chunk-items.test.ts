import { describe, expect, test } from 'vitest';
import { chunkBytes, chunkItem } from '../../../shared/store/table/chunk-items.ts';
import { randomBytes } from '../fact-days.ts';

describe('a chunk', () => {
  const key = { pk: 'FACTS#7#pla#delivery#2026-05#clicks', sk: '01#0000000001#0000' };
  const item = chunkItem(key, randomBytes(1, 1_000));

  test('is read as it was written', () => {
    expect(chunkBytes(item)).toEqual(randomBytes(1, 1_000));
    expect(chunkBytes(chunkItem(key, new Uint8Array(0)))).toEqual(new Uint8Array(0));
  });

  test.each([
    ['that is truncated', { ...item, bytes: randomBytes(1, 1_000).subarray(0, 999) }],
    ['with other bytes', { ...item, bytes: randomBytes(2, 1_000) }],
    ['at the key of another day', { ...item, sk: '02#0000000001#0000' }],
    ['at the key of another column', { ...item, pk: 'FACTS#7#pla#delivery#2026-05#cost' }],
    ['at the key of another chunk', { ...item, sk: '01#0000000001#0001' }],
    ['without its checksum', { ...key, bytes: item.bytes }],
    ['without bytes', { ...key, sum: item.sum }],
  ])('%s is rejected with an error that names the item', (_what, damaged) => {
    expect(() => chunkBytes(damaged)).toThrow(`${damaged.pk} / ${damaged.sk}`);
  });

  test('with a flipped bit is rejected', () => {
    for (let bit = 0; bit < 8_000; bit += 13) {
      const bytes = randomBytes(1, 1_000);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => chunkBytes({ ...item, bytes })).toThrow(/damaged/);
    }
  });
});
