import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DelistedAdGroups,
  findDelisted,
  ownerOfDelisted,
  readDelisted,
  writeDelisted,
} from '../../../../shared/load/check/delisted.ts';
import type { Network } from '../../../../shared/load/check/known-network.ts';
import { PART_ROWS } from '../../../../shared/load/check/pack-rows.ts';
import { beginCommit, readCommit } from '../../../../shared/store/commit/commits.ts';
import { useEngine } from '../../../support/use-engine.ts';

const engine = useEngine();

function fromOwners(owners: ReadonlyMap<number, number>): DelistedAdGroups {
  const pairs = [...owners].sort(([a], [b]) => a - b);
  return {
    ids: Float64Array.from(pairs, ([id]) => id),
    advertiserIds: Float64Array.from(pairs, ([, owner]) => owner),
  };
}

test('delisted ad groups are those that were listed once and are not listed now, each with its last owner', () => {
  const owners = fc
    .array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 2 ** 53 - 1 })))
    .map((pairs) => new Map(pairs));
  fc.assert(
    fc.property(owners, owners, fc.uniqueArray(fc.nat(40)), (stored, before, listed) => {
      const expected = new Map([...stored, ...before].filter(([id]) => !listed.includes(id)));
      const adGroups = listed.map((id) => ({ id, campaignId: 1, name: 'x', status: null, productIds: [] }));
      const found = findDelisted(fromOwners(stored), before, {
        ad_groups: adGroups as unknown as Network['ad_groups'],
      });
      expect(found).toEqual(fromOwners(expected));
      for (let id = 0; id <= 41; id++) expect(ownerOfDelisted(found, id)).toBe(expected.get(id));
    }),
  );
});

test('delisted ad groups are read back as they were stored, in several parts', async () => {
  const { table } = await engine.createTable();
  const count = 2 * PART_ROWS + 1;
  const delisted = fromOwners(new Map(Array.from({ length: count }, (_, index) => [2 ** 53 - 1 - 2 * index, index])));
  const writer = await beginCommit(table, { owner: 'test' });
  expect(await readDelisted(table, writer.state)).toEqual(fromOwners(new Map()));
  await writeDelisted(writer, delisted);
  await writer.finish();
  expect(await readDelisted(table, await readCommit(table))).toEqual(delisted);
});
