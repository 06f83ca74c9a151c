import type { LoadRow } from '../../real/write-folder.ts';
import { readSections } from './read-sections.ts';

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
