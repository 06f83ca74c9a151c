import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceListing, withoutNames } from '../../../shared/load/listings/keep-delisted.ts';
import type { CellRow } from '../../../shared/load/listings/parse-rows.ts';
import { patchListing } from '../../../shared/load/listings/patch-listing.ts';
import { Problems } from '../../../shared/load/schema/problems.ts';

const campaign = (id: number, name: string): CellRow => ({
  id,
  name,
  advertiserId: 10,
  status: 'ACTIVE',
  startDate: '2026-03-01',
});
const FILE = { holds: 'campaigns', name: 'campaigns.patch.csv', isPatch: true, files: [] } as const;

function patch(rows: readonly CellRow[], stored: readonly CellRow[]): readonly CellRow[] {
  return patchListing(
    FILE,
    { rows, places: rows.map((_, index) => ({ file: FILE.name, line: index + 1 })) },
    stored,
    new Problems(100),
  ).rows;
}

const names = fc.uniqueArray(fc.tuple(fc.nat(12), fc.string({ minLength: 1 })), { selector: ([id]) => id });
const steps = fc.array(fc.record({ isPatch: fc.boolean(), names, deleted: fc.uniqueArray(fc.nat(12)) }), {
  minLength: 1,
  maxLength: 12,
});

test('after any files and patches, each campaign that was ever listed is stored once: with its last row, or with its id for a name', () => {
  fc.assert(
    fc.property(steps, (loads) => {
      let stored: readonly CellRow[] = [];
      const expected = new Map<number, CellRow>();
      for (const load of loads) {
        const rows = load.names.map(([id, name]) => campaign(id, name));
        if (load.isPatch) {
          const deleted = load.deleted.filter((id) => load.names.every(([named]) => named !== id));
          stored = patch([...rows, ...deleted.map((id) => ({ id, deleted: true }))], stored);
          for (const id of deleted) {
            if (expected.has(id)) expected.set(id, { id, name: String(id), advertiserId: 10, delisted: 'deleted' });
          }
        } else {
          stored = replaceListing('campaigns', rows, stored);
          for (const [id, row] of expected)
            if (row.delisted === undefined) expected.set(id, { ...row, delisted: 'archived' });
        }
        for (const [id, name] of load.names) expected.set(id, campaign(id, name));
        const isDelisted = stored.map((row) => 'delisted' in row);
        expect(isDelisted).toEqual(isDelisted.toSorted());
        expect(new Map(stored.map((row) => [row.id, row]))).toEqual(expected);
        expect(stored).toHaveLength(expected.size);
      }
    }),
  );
});

test('a deleted row whose id is a text has the text for a name', () => {
  const row = { id: 7, idText: 'cmp_81', name: 'Spring', advertiserId: 10, status: 'ACTIVE' };
  const kept = { id: 7, idText: 'cmp_81', name: 'cmp_81', advertiserId: 10, delisted: 'deleted' };
  expect(withoutNames('campaigns', row)).toEqual(kept);
  const product = { id: 8, idText: 'sku', upc: '11', name: 'Chips', advertiserId: 10 };
  expect(withoutNames('products', product)).toMatchObject({ name: '11' }); // facts have UPCs
});
