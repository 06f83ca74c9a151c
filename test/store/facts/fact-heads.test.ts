import { expect, test } from 'vitest';
import type { FactHead } from '../../../shared/catalog/partitions.ts';
import type { Experience, FactTable } from '../../../shared/catalog/tables.ts';
import { formatFactHead, parseFactHead } from '../../../shared/store/facts/fact-heads.ts';

test('a fact head is parsed as it was formatted, with months across years', () => {
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
