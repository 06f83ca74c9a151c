import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { asRecord, numberIn, textIn } from '../table/item.ts';
import { STATE_KEY } from '../table/keys.ts';

/** What a reader goes by: everywhere the newest entry whose number is ≤ `commit` and not aborted. */
export interface CommitState {
  readonly commit: number;
  /** Numbers of loads that died or gave up. Kept for good: a writer that was taken for dead may still write. */
  readonly aborted: ReadonlySet<number>;
}

/** Who is loading at the moment. */
export interface HeldLease {
  readonly n: number;
  /** Says which holder it is, for conditions. */
  readonly token: string;
  /** Says who it is, for people. */
  readonly owner: string;
  /** Counts up while the holder lives. */
  readonly beat: number;
  /** Milliseconds without a beat after which the holder counts as dead, and counts itself as dead. */
  readonly silenceMs: number;
}

/** The item that all loads and readers meet at. */
export interface StoredState extends CommitState {
  /** The highest number drawn so far. */
  readonly drawn: number;
  readonly lease: HeldLease | undefined;
  /** What commits up to these numbers superseded may be gone already. */
  readonly floors: Readonly<Record<'readers' | 'views', number>>;
}

/** @returns the state as of now, read consistently; commit 0 where nothing was ever loaded. */
export async function readState(table: Table): Promise<StoredState> {
  const item = await table.get(STATE_KEY, { consistent: true });
  return item === undefined ? EMPTY : parseState(item);
}

const EMPTY: StoredState = {
  commit: 0,
  drawn: 0,
  aborted: new Set(),
  lease: undefined,
  floors: { readers: 0, views: 0 },
};

function parseState(item: Item): StoredState {
  const lease = asRecord(item.lease);
  return {
    commit: numberIn(item, 'commit'),
    drawn: numberIn(item, 'drawn'),
    aborted: parseNumbers(textIn(item, 'aborted')),
    lease: lease === undefined ? undefined : parseLease({ ...STATE_KEY, ...lease }),
    floors: { readers: numberIn(item, 'readersFloor'), views: numberIn(item, 'viewsFloor') },
  };
}

const parseLease = (item: Item): HeldLease => ({
  n: numberIn(item, 'n'),
  token: textIn(item, 'token'),
  owner: textIn(item, 'owner'),
  beat: numberIn(item, 'beat'),
  silenceMs: numberIn(item, 'silenceMs'),
});

/**
 * @returns the numbers as text, ascending, neighbours joined: thousands of aborted loads stay within one read unit.
 * @example formatNumbers(new Set([1, 2, 3, 7])) === '1-3,7'
 */
export function formatNumbers(numbers: ReadonlySet<number>): string {
  const runs: [number, number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** @returns what `formatNumbers` was given. */
export function parseNumbers(text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const run of text === '' ? [] : text.split(',')) {
    const [first, last] = run.split('-').map(Number);
    for (let n = first ?? 0; n <= (last ?? first ?? -1); n += 1) numbers.add(n);
  }
  return numbers;
}
