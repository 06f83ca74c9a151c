import { productsOfAdvertiser } from '../../../shared/store/table/item-keys.ts';
import { hashUser } from '../../support/user-id-key.ts';
import { readSections } from './read-sections.ts';
import type { Row, StoredNetwork } from './read-stored-network.ts';

const SECTIONS = readSections('stored-network.txt');

/** @returns the sections whose names begin with the word, by the rest of their names */
function sectionsOf(word: string): Record<string, readonly Row[]> {
  const found = Object.entries(SECTIONS).filter(([name]) => name.startsWith(`${word} `));
  return Object.fromEntries(found.map(([name, rows]) => [name.slice(word.length + 1), rows]));
}

const listings = sectionsOf('listings');

/** @returns a row of facts with the hashes of its users */
const hashed = (row: Row): Row =>
  Array.isArray(row.users) ? { ...row, users: row.users.map(hashUser).sort((a, b) => a - b) } : row;

/**
 * NETWORK and FACTS as they are stored: sorted, with defaults and inherited dates. Rows of facts with equal keys are summed, their users united, money in
 * micros, video durations in milliseconds; members that are null, 0 or empty are left out.
 */
export const EXPECTED: StoredNetwork = {
  listings: {
    ...listings,
    [`products ${productsOfAdvertiser(10, [20]).audience}`]: listings['products 10']?.slice(0, 1) ?? [],
  },
  users: {
    'u-agency': { userId: 'u-agency', name: 'Agnes', userType: 'AGENCY', accountIds: [1, 2] },
    'u-cpg': { userId: 'u-cpg', name: 'Cyrus', userType: 'CPG', accountIds: [1] },
  },
  owned: { '1': [10, 11], '2': [11] },
  adGroups: {
    '1000': { advertiserId: 10, accountIds: [1], products: [20, 21] },
    '1001': { advertiserId: 10, accountIds: [1], products: [20] },
    '1100': { advertiserId: 11, accountIds: [1, 2], products: [22] },
  },
  tables: sectionsOf('tables'),
  latestDelivery: { pla: '2026-03-03', carousel: '2026-03-02' },
  facts: Object.fromEntries(Object.entries(sectionsOf('facts')).map(([day, rows]) => [day, rows.map(hashed)])),
};
