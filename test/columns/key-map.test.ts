import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KeyValue } from '../../shared/columns/column.ts';
import { KeyMap } from '../../shared/columns/key-map.ts';

const KEYS = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.maxSafeNat(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.double().map(String),
  fc.integer({ min: -20, max: 20 }).map((tenths) => tenths / 10),
  fc.constantFrom(0, -0, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2),
);

test('a map of keys has the values of a Map', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(KEYS, fc.nat())), KEYS, (entries, other) => {
      const [expected, actual] = [new Map<KeyValue, number>(), new KeyMap<number>()];
      for (const [key, value] of entries) {
        expected.set(key, value);
        actual.set(key, value);
      }
      expect(actual.size).toBe(expected.size);
      for (const key of [...expected.keys(), other])
        expect([actual.has(key), actual.get(key)]).toEqual([expected.has(key), expected.get(key)]);
    }),
  );
});

/** 60,000 ad groups with equal hashes made each report by ad group take 19 s. */
test.each(['shared/report', 'shared/columns'])(
  '%s keeps values of key columns in no other Map or Set, which the ids in a file could slow',
  (folder) => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const found = files.filter((name) =>
      /new (Map|Set)<(KeyValue|ReportValue)\b/.test(readFileSync(`${folder}/${name}`, 'utf8')),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(found).toEqual(['key-map.ts'].filter((name) => files.includes(name)));
  },
);
