import { describe, expect, test } from 'vitest';
import type { FactHead } from '../../shared/catalog/partitions.ts';
import type { Experience, FactTable } from '../../shared/catalog/tables.ts';
import { formatFactHead, parseFactHead } from '../../shared/store/facts/fact-heads.ts';
import type { StoredDay } from '../../shared/store/facts/manifest-codec.ts';
import { decodeManifest, encodeManifest } from '../../shared/store/facts/manifest-codec.ts';
import { segmentBytes, segmentItem } from '../../shared/store/table/segments.ts';
import { bytesOf } from './fact-days.ts';

describe('segments', () => {
  const key = { pk: 'FACTS#7#pla#delivery#2026-05#clicks', sk: '01#0000000001#0000' };
  const item = segmentItem(key, bytesOf(1, 1_000));

  test('are read as they were written', () => {
    expect(segmentBytes(item)).toEqual(bytesOf(1, 1_000));
    expect(segmentBytes(segmentItem(key, new Uint8Array(0)))).toEqual(new Uint8Array(0));
  });

  test.each([
    ['cut short', { ...item, bytes: bytesOf(1, 1_000).subarray(0, 999) }],
    ['of another seed', { ...item, bytes: bytesOf(2, 1_000) }],
    ['at the key of another day', { ...item, sk: '02#0000000001#0000' }],
    ['at the key of another column', { ...item, pk: 'FACTS#7#pla#delivery#2026-05#cost' }],
    ['in the place of another chunk', { ...item, sk: '01#0000000001#0001' }],
    ['without its checksum', { ...key, bytes: item.bytes }],
    ['without bytes', { ...key, sum: item.sum }],
  ])('%s are an error that names the item', (_what, damaged) => {
    expect(() => segmentBytes(damaged)).toThrow(damaged.pk);
  });

  test('with any one bit turned are an error', () => {
    for (let bit = 0; bit < 8_000; bit += 13) {
      const bytes = bytesOf(1, 1_000);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => segmentBytes({ ...item, bytes })).toThrow(/damaged/);
    }
  });
});

describe('manifests', () => {
  const days: StoredDay[] = [
    { day: 1, version: 1, rows: 2 ** 40, packed: true, hash: bytesOf(1, 8), columns: new Map() },
    {
      day: 31,
      version: 4_000_000_000,
      rows: 127,
      packed: false,
      hash: bytesOf(2, 8),
      columns: new Map([
        ['clicks', { chunks: 2, bytes: 358_401, distinct: 0 }],
        ['keyword', { chunks: 0, bytes: 0, distinct: 128 }],
      ]),
    },
    {
      day: 9,
      version: 3,
      rows: 1,
      packed: true,
      hash: bytesOf(3, 8),
      columns: new Map([['cost', { chunks: 0, bytes: 5, distinct: 1 }]]),
    },
  ];

  test('are decoded as they were encoded', () => {
    expect(decodeManifest(encodeManifest(days), 'here')).toEqual(days);
    expect(decodeManifest(encodeManifest([]), 'here')).toEqual([]);
  });

  test('damaged anywhere are an error', () => {
    const encoded = encodeManifest(days);
    for (let at = 0; at < encoded.length; at += 1) {
      const turned = encoded.slice();
      turned[at] = (turned[at] ?? 0) ^ 0x10;
      let read: unknown;
      try {
        read = decodeManifest(turned, 'here');
      } catch {
        continue;
      }
      expect(read).toEqual(days); // a bit that has no meaning, such as a reserved one
    }
    for (let length = 0; length < encoded.length; length += 1) {
      expect(() => decodeManifest(encoded.subarray(0, length), 'here')).toThrow();
    }
  });
});

test('a fact head is read as it was written, months over the turn of years included', () => {
  const head: FactHead = {
    advertiserId: 7,
    months: new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>([
      ['pla', new Map([['delivery', ['2024-11', '2024-12', '2025-01', '2025-03', '2026-01']]])],
      ['toa', new Map([['market', ['2025-12']]])],
    ]),
    latestDelivery: new Map([['pla', '2026-01-31']]),
    rollups: new Map([
      ['pla', new Map([['2026-01', { version: 3, bytes: 9, users: new Map([['delivery/users_0', 8]]) }]])],
    ]),
  };
  expect(parseFactHead(7, formatFactHead(head))).toEqual(head);
});
