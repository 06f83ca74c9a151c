import { expect, test } from 'vitest';
import { decodeKeys, expandKeys } from '../../../shared/columns/coded-keys.ts';
import type { Network } from '../../../shared/load/check/known-network.ts';
import { LISTING_FILES } from '../../../shared/load/schema/file-columns.ts';
import { deriveTables } from '../../../shared/load/write/derive-tables.ts';

const EMPTY = Object.fromEntries(LISTING_FILES.map((listing) => [listing, []])) as unknown as Network; // every file, without rows

/** @returns the values of a column of the table */
function columnOf(network: Partial<Network>, table: string, column: string): unknown[] {
  const bytes = deriveTables({ ...EMPTY, ...network })
    .get(table)
    ?.encode()
    .columns.get(column);
  return bytes === undefined ? [] : expandKeys(decodeKeys(bytes, column));
}

test('members of lists and keys of tables are ordered by code point: characters beyond the basic plane come last', () => {
  const texts = ['\u{1F600}', '\uFF5E', 'z'];
  const advertisers = [{ id: 1, name: 'One', accountId: 1, brandNames: texts, active: true }];
  expect(columnOf({ advertisers }, 'advertisers#0', 'brandNames')).toEqual(['z, \uFF5E, \u{1F600}']);
  const creatives = texts.map((key) => ({ key, advertiserId: 1, name: key }));
  expect(columnOf({ creatives }, 'creatives#0', 'key')).toEqual(['z', '\uFF5E', '\u{1F600}']);
});
