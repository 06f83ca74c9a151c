import { expect, test } from 'vitest';
import type { CubeEntry, FactHead, MonthEntry } from '../../../shared/catalog/partitions.ts';
import type { Experience, FactTable } from '../../../shared/catalog/tables.ts';
import { formatFactHead, parseFactHead } from '../../../shared/store/facts/fact-heads.ts';
import { compressJson } from '../../../shared/store/table/zstd.ts';

const ROLLUP: CubeEntry = {
  rows: new Map([['delivery', 20]]),
  bytes: 9,
  columns: new Map([['delivery/users_0', 8]]),
  minDays: 0,
};

/** As an older version stored it: without numbers of rows, which are estimated. */
const OLD: MonthEntry = {
  version: 5,
  cubes: new Map([
    [
      'ad_group_id',
      {
        ...{ bytes: 720, minDays: 0, columns: new Map([['delivery/users_0', 8]]) },
        rows: new Map([
          ['delivery', 20],
          ['conversions', 20],
          ['activity', 20],
        ]),
      },
    ],
  ]),
  isOld: true,
};

test('a fact head is parsed as it was formatted, with months across years', () => {
  const head: FactHead = {
    advertiserId: 7,
    months: new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>([
      ['pla', new Map([['delivery', ['2024-11', '2024-12', '2025-01', '2025-03', '2026-01']]])],
      ['toa', new Map([['market', ['2025-12']]])],
    ]),
    latestDelivery: new Map([['pla', '2026-01-31']]),
    cubeMonths: new Map([
      [
        'pla',
        new Map<string, MonthEntry>([
          ['2025-12', OLD],
          [
            '2026-01',
            {
              version: 3,
              cubes: new Map([
                ['ad_group_id', ROLLUP],
                ['keyword', { ...ROLLUP, minDays: 2 }],
              ]),
            },
          ],
        ]),
      ],
    ]),
  };
  expect(parseFactHead(7, formatFactHead(head))).toEqual(head);
});

test('the rollups that an older version listed are parsed as one cube each', () => {
  const list = [['pla', '2025-12', 5, 720, { 'delivery/users_0': 8 }]];
  const head = parseFactHead(7, {
    months: { pla: { delivery: '2025-12+1' } },
    latest: {},
    rollups: compressJson(list),
  });
  expect(head.cubeMonths).toEqual(new Map([['pla', new Map([['2025-12', OLD]])]]));
  expect(Object.keys(formatFactHead(head))).toEqual(['months', 'latest', 'cubes']);
});
