import type { Experience, FactTable } from '../../catalog/tables.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import type { Problem } from '../schema/problems.ts';

/** What a load did. */
export interface LoadReport {
  /** `rejected`: there are problems, and nothing has changed. `unchanged`: the folder changes nothing. `checked`: nothing was written. */
  readonly outcome: 'loaded' | 'unchanged' | 'checked' | 'rejected';
  /** The first problems, up to the requested number. */
  readonly problems: readonly Problem[];
  /** The number of all problems. */
  readonly problemCount: number;
  readonly warnings: readonly string[];
  readonly listings: readonly {
    readonly listing: ListingFile;
    /** The rows of the listing after the load. */
    readonly rows: number;
    readonly outcome: 'written' | 'unchanged';
    /** Numbers of rows. A row that is equal to the listed one counts nowhere. */
    readonly changes: RowChanges;
  }[];
  readonly facts: readonly {
    readonly experience: Experience;
    readonly table: FactTable;
    readonly rows: number;
    /** Number of (advertiser, day) pairs that the rows are of; of days, for market. */
    readonly days: number;
  }[];
  /** The changed days of each fact table that has any. */
  readonly changes: readonly {
    readonly experience: Experience;
    readonly table: FactTable;
    /** Numbers of (advertiser, day) pairs; of days, for market. */
    readonly days: { readonly added: number; readonly replaced: number; readonly emptied: number };
    /** Of these days. */
    readonly rows: Change;
    /** Of delivery and market. */
    readonly impressions?: Change;
    /** Of delivery, in currency units. */
    readonly cost?: Change;
  }[];
}

export interface RowChanges {
  readonly added: number;
  readonly replaced: number;
  readonly removed: number;
  /** The columns in which replaced rows differ, each with the number of these rows. */
  readonly columns: Readonly<Record<string, number>>;
}

interface Change {
  readonly before: number;
  readonly after: number;
}

/**
 * The progress of a load. In each attempt, stages come in this order; `check` and `write facts` begin with nothing done. `check` counts bytes; `write listings` parts, such as the contacts of one account; `write facts` days,
 * counted for each advertiser, experience and table.
 */
export interface Progress {
  readonly stage: 'check' | 'write listings' | 'write facts';
  readonly done: number;
  readonly total: number;
  /** Rows of listings and facts read (`check`), or the folder's rows of the days done (`write facts`); 0 in `write listings`. */
  readonly rows: number;
}
