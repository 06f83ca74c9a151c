import { expect, test } from 'vitest';
import type { FactHead, RollupEntry } from '../../../shared/catalog/partitions.ts';
import { EXPERIENCES, type Experience, type FactTable } from '../../../shared/catalog/tables.ts';
import { factHeadValue, formatFactHead, parseFactHead } from '../../../shared/store/facts/fact-heads.ts';
import { sizeOf } from '../../../shared/store/table/item.ts';
import { randomFrom } from '../../oracle/random/random.ts';

const ROLLUP: RollupEntry = {
  version: 5,
  rows: new Map([['delivery', 20]]),
  bytes: 9,
  columns: new Map([['delivery/users_0', 8]]),
};

test('a fact head is parsed as it was formatted, with months across years', () => {
  const head: FactHead = {
    advertiserId: 7,
    months: new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>([
      ['pla', new Map([['delivery', ['2024-11', '2024-12', '2025-01', '2025-03', '2026-01']]])],
      ['toa', new Map([['market', ['2025-12']]])],
    ]),
    latestDelivery: new Map([['pla', '2024-11-13']]),
    versions: new Map([
      ['pla', 5],
      ['toa', 3],
    ]),
    days: new Map([
      [
        'pla',
        new Map([
          [
            'delivery',
            [
              [20_000, 20_030],
              [20_040, 20_040],
            ],
          ],
        ]),
      ],
    ]),
    rollups: new Map([
      [
        'pla',
        new Map<string, RollupEntry>([
          ['2025-12', ROLLUP],
          ['2026-01', { ...ROLLUP, version: 3 }],
        ]),
      ],
    ]),
  };
  const value = factHeadValue(head);
  expect(parseFactHead(7, formatFactHead(value))).toEqual(head);
  expect(parseFactHead(7, value)).toEqual(head);
});

/** A head of 208 KB did not fit into an item with a second version: every later load of the advertiser failed. */
test('a head with facts in all months that facts may have takes less than a third of an item', () => {
  const random = randomFrom(1);
  const months = Array.from({ length: 1200 }, (_, i) => {
    return `${2000 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`;
  });
  const entry = (): RollupEntry => {
    const sizes = Array.from({ length: 3 }, (_, band) => [`delivery/users_${band}`, 40 + random.int(1_000)] as const);
    const version = 1 + random.int(1_000_000);
    return { version, rows: ROLLUP.rows, bytes: 300 + random.int(10_000), columns: new Map(sizes) };
  };
  const ofExperiences = EXPERIENCES.map((name) => {
    const tables = (['delivery', 'conversions', 'activity'] as const).map((table) => [table, months] as const);
    return [name, new Map(tables)] as const;
  });
  const head: FactHead = {
    advertiserId: 7,
    months: new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>(ofExperiences),
    latestDelivery: new Map(),
    versions: new Map(),
    rollups: new Map(EXPERIENCES.map((name) => [name, new Map(months.map((month) => [month, entry()]))])),
  };
  const value = formatFactHead(factHeadValue(head));
  expect(sizeOf({ pk: 'FACTS#7', sk: 'HEAD', versions: [value] })).toBeLessThan(130_000);
});
