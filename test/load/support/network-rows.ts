import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productsOfAdvertiser } from '../../../shared/store/table/item-keys.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { hashShopper } from '../../support/user-id-key.ts';
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
  Array.isArray(row.users) ? { ...row, users: row.users.map(hashShopper).sort((a, b) => a - b) } : row;

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

/** The rows of a load folder by file, without the extension: `accounts`, `facts/pla/delivery`. */
export type FolderRows = Readonly<Record<string, readonly LoadRow[]>>;

const ALL = Object.entries(readSections('network.txt'));

/**
 * A small network: accounts 1 and 2; advertisers 10 (of 1) and 11 (of both, 2 first); campaign 100 and ad groups 1000, 1001 of advertiser 10,
 * campaign 110 and ad group 1100 of advertiser 11. Freshness has a row for advertiser 11 and rows for all advertisers.
 */
export const NETWORK: FolderRows = Object.fromEntries(ALL.filter(([file]) => !file.startsWith('facts/')));

/** Facts of the network in March 2026, with market facts; two rows of delivery have equal keys, so that they are summed. */
export const FACTS: FolderRows = Object.fromEntries(ALL.filter(([file]) => file.startsWith('facts/')));

/** @returns the rows of a file of this folder by section: `# name`, and below it a row of JSON per line */
export function readSections(file: string): Record<string, readonly LoadRow[]> {
  const sections = readFileSync(join(import.meta.dirname, file), 'utf8')
    .split(/^# /m)
    .slice(1);
  return Object.fromEntries(
    sections.map((text) => {
      const [name = '', ...rows] = text.trimEnd().split('\n');
      return [name, rows.map((row): LoadRow => JSON.parse(row))];
    }),
  );
}
