import type { Random } from '../../oracle/random/random.ts';
import {
  ACCOUNT_IDS,
  ADVERTISER_IDS,
  type Advertiser,
  type Network,
  randomAccount,
  randomAddress,
  randomAdvertiser,
  randomContact,
  randomMarket,
  randomUser,
  SHARED_IDS,
  type Shared,
  sliceOf,
} from './network.ts';

/** What a key may see: some accounts of a user. */
export interface Observer {
  readonly userId: string;
  readonly accountIds: readonly number[];
}

/**
 * @returns another network that is the same for the observer: all that it may not see is removed, replaced or added to, the other owners of what it
 * sees included. What the observer sees of the market stays: the rows of the slices in which its advertisers have delivery in pla.
 */
export function changeForeign(random: Random, network: Network, observer: Observer): Network {
  const own = new Set(observer.accountIds);
  const isOwn = ({ accountIds }: Shared) => accountIds.some((id) => own.has(id));
  const taken = new Set(network.accounts.map(({ id }) => id));
  const accounts = [
    ...network.accounts
      .filter(({ id }) => own.has(id) || random.chance(0.7))
      .map((account) => {
        return own.has(account.id) || random.chance(0.3) ? account : randomAccount(random, account.id);
      }),
    ...unused(random, taken, ACCOUNT_IDS).map((id) => randomAccount(random, id)),
  ];
  const foreign = accounts.map(({ id }) => id).filter((id) => !own.has(id));

  /** Keeps what the observer sees, except for its foreign owners; replaces or removes the rest, and adds to it. */
  function change<T extends Shared>(
    rows: readonly T[],
    ids: readonly number[],
    make: (random: Random, id: number, accountIds: readonly number[]) => T,
  ): T[] {
    const seen = rows
      .filter(isOwn)
      .map((row) => ({ ...row, accountIds: otherOwners(random, row.accountIds, own, foreign) }));
    if (foreign.length === 0) return seen;
    const others = rows
      .filter((row) => !isOwn(row) && random.chance(0.7))
      .map(({ row }) => make(random, row.id, foreign));
    const added = unused(random, new Set(rows.map(({ row }) => row.id)), ids).map((id) => make(random, id, foreign));
    return [...seen, ...others, ...added];
  }

  const advertisers: Advertiser[] = change(network.advertisers, ADVERTISER_IDS, randomAdvertiser);
  return {
    accounts,
    advertisers,
    contacts: change(network.contacts, SHARED_IDS, randomContact),
    addresses: change(network.addresses, SHARED_IDS, randomAddress),
    users: network.users
      .filter(({ userId }) => userId === observer.userId || random.chance(0.7))
      .map((user) => {
        const ids = accounts.map(({ id }) => id);
        if (user.userId !== observer.userId) return randomUser(random, user.userId, ids);
        // a key may see less than its user, whose other accounts are then foreign, too
        return {
          ...user,
          accountIds: [...observer.accountIds, ...random.sample(foreign, user.accountIds.length > own.size ? 2 : 0)],
        };
      }),
    market: changeMarket(random, network, network.advertisers.filter(isOwn)),
  };
}

/** @returns the owners with others in the place of those that are not the observer's; the primary one, which is first, stays if it is the observer's */
function otherOwners(
  random: Random,
  accountIds: readonly number[],
  own: ReadonlySet<number>,
  foreign: readonly number[],
): number[] {
  const kept = accountIds.filter((id) => own.has(id));
  const others = random.sample(foreign, random.int(3));
  const isPrimary = own.has(accountIds[0] ?? 0) || others.length === 0;
  return isPrimary ? [...kept, ...others] : [...others, ...kept];
}

function changeMarket(random: Random, network: Network, own: readonly Advertiser[]): Network['market'] {
  const delivery = own.flatMap(({ files }) => files['facts/pla/delivery'] ?? []);
  const seen = new Set(delivery.map(sliceOf));
  return [
    ...network.market.filter((row) => seen.has(sliceOf(row))),
    ...randomMarket(random).filter((row) => !seen.has(sliceOf(row))),
  ];
}

function unused(random: Random, taken: ReadonlySet<number>, ids: readonly number[]): number[] {
  const free = ids.filter((id) => !taken.has(id));
  return random.sample(free, random.int(free.length + 1));
}
