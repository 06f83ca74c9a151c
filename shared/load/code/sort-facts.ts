import type { CodedKeys } from '../../columns/coded-keys.ts';
import type { StoredColumns } from '../schema/fact-columns.ts';
import { BlockWriter } from './blocks.ts';
import type { CodedFacts } from './code-facts.ts';

/** The rows of a section as blocks, each with rows of one day of an advertiser. Plain data with a single buffer, which threads transfer. */
export interface FactBlocks {
  readonly blocks: readonly FactBlock[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether all rows have an hour; else none has. */
  readonly hasHours: boolean;
}

interface FactBlock {
  /** `PLATFORM_ID` for market. */
  readonly advertiserId: number;
  /** Day number. */
  readonly day: number;
  readonly rows: number;
  /** Where the block ends in `bytes`. */
  readonly end: number;
}

/** Rows of one day of an advertiser. */
interface Part {
  readonly advertiserId: number;
  readonly day: number;
  readonly rows: number[];
}

/** @returns a block per advertiser and day, in the order of their first rows. Within a block, rows keep their order. */
export function sortFacts(facts: CodedFacts, columns: StoredColumns): FactBlocks {
  const writer = new BlockWriter(columns, facts);
  const blocks = partition(facts).map(({ advertiserId, day, rows }) => {
    return { advertiserId, day, rows: rows.length, end: writer.write(rows) };
  });
  return { blocks, bytes: writer.finish(), hasHours: facts.keys.has('hour') };
}

function partition({ rows, keys, advertisers }: CodedFacts): Part[] {
  const dates = keys.get('date') ?? NO_KEYS;
  const parts: Part[] = [];
  const byAdvertiser = new Map<number, Map<number, Part>>();
  let part: Part | undefined;
  for (let row = 0; row < rows; row++) {
    const advertiserId = advertisers[row] ?? 0;
    const day = Number(dates.dictionary[dates.codes[row] ?? 0]);
    if (part?.day !== day || part.advertiserId !== advertiserId) {
      const days = byAdvertiser.get(advertiserId) ?? new Map<number, Part>();
      byAdvertiser.set(advertiserId, days);
      part = days.get(day);
      if (part === undefined) {
        part = { advertiserId, day, rows: [] };
        days.set(day, part);
        parts.push(part);
      }
    }
    part.rows.push(row);
  }
  return parts;
}

const NO_KEYS: CodedKeys = { dictionary: [null], codes: new Uint32Array(0) };
