import { rangesOf } from '../../layout/day-ranges.ts';
import { asRecord, type Item, numberIn, textIn } from '../table/item.ts';
import { type ChangeKind, STATE_KEY } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

/** Determines what a reader sees: of each thing the newest version whose number is ≤ `commit` and not aborted. */
export interface CommitState {
  readonly commit: number;
  /** Numbers of loads that were abandoned after they had written, or whose lease expired. They are never removed, because such a load may still write. */
  readonly aborted: ReadonlySet<number>;
  /** Random, of the table's first load: loads of another table have the same numbers. Absent where nothing was ever loaded. */
  readonly identity?: string;
  /** The number of the last load that changed each kind; absent: this one may have changed all. */
  readonly changed?: Readonly<Record<ChangeKind, number>>;
}

/** @returns a load after which none has changed these kinds, up to the state's commit */
export function lastChange({ commit, changed }: CommitState, kinds: readonly ChangeKind[]): number {
  return changed === undefined ? commit : Math.max(...kinds.map((kind) => changed[kind]));
}

/** The lease of the load in progress. */
export interface HeldLease {
  readonly n: number;
  /** Identifies the holder in conditions. */
  readonly token: string;
  /** Describes the holder in messages. */
  readonly owner: string;
  /** Heartbeat: incremented each time the holder renews the lease. */
  readonly beat: number;
  /** Milliseconds without a heartbeat after which the lease expires. */
  readonly silenceMs: number;
}

/** The item that coordinates loads and readers. */
export interface StoredState extends CommitState {
  readonly changed: NonNullable<CommitState['changed']>;
  /** The highest load number assigned so far. */
  readonly drawn: number;
  readonly lease: HeldLease | undefined;
  /** Items that commits up to these numbers superseded may be deleted already. */
  readonly floors: Readonly<Record<'readers' | 'views', number>>;
}

/**
 * The format of the table's items. Increase it when releases with the present format could misread what is written. Loads store it with the lease, before they
 * write anything else.
 */
export const TABLE_FORMAT = 5;

/** @returns the current state, read consistently; commit 0 if nothing was ever loaded. @throws Error if the table has another format */
export async function readState(table: Table): Promise<StoredState> {
  const item = await table.get(STATE_KEY, { consistent: true });
  return item === undefined ? EMPTY : parseState(item);
}

const EMPTY: StoredState = {
  commit: 0,
  changed: changesOf(() => 0),
  drawn: 0,
  aborted: new Set(),
  lease: undefined,
  floors: { readers: 0, views: 0 },
};

function parseState(item: Item): StoredState {
  if (item.format !== TABLE_FORMAT) {
    throw new Error(
      `the table has format ${item.format}, and this version of Endcap reads only format ${TABLE_FORMAT}: use the version that has loaded it, or load all data into a new table`,
    );
  }
  const lease = asRecord(item.lease);
  return {
    identity: textIn(item, 'identity'),
    changed: changesOf((kind) => numberIn(item, kind)),
    commit: numberIn(item, 'commit'),
    drawn: numberIn(item, 'drawn'),
    aborted: parseNumbers(textIn(item, 'aborted')),
    lease: lease === undefined ? undefined : parseLease({ ...STATE_KEY, ...lease }),
    floors: { readers: numberIn(item, 'readersFloor'), views: numberIn(item, 'viewsFloor') },
  };
}

function changesOf(of: (kind: ChangeKind) => number): StoredState['changed'] {
  return { users: of('users'), listings: of('listings'), dimensions: of('dimensions'), facts: of('facts') };
}

const parseLease = (item: Item): HeldLease => ({
  n: numberIn(item, 'n'),
  token: textIn(item, 'token'),
  owner: textIn(item, 'owner'),
  beat: numberIn(item, 'beat'),
  silenceMs: numberIn(item, 'silenceMs'),
});

/**
 * @returns the numbers as ascending ranges, which keeps long runs of numbers short
 * @example formatNumbers(new Set([1, 2, 3, 7])) === '1-3,7'
 */
export function formatNumbers(numbers: ReadonlySet<number>): string {
  return rangesOf(numbers)
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
    .join(',');
}

/** @returns the numbers that `formatNumbers` formatted */
function parseNumbers(text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const run of text === '' ? [] : text.split(',')) {
    const [first, last] = run.split('-').map(Number);
    for (let n = first ?? 0; n <= (last ?? first ?? -1); n += 1) numbers.add(n);
  }
  return numbers;
}
