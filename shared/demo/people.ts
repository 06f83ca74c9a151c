import { AGENCIES, CITIES, FIRST_NAMES, LAST_NAMES, OFFICES, STREETS } from './names.ts';
import { ACCOUNTS, ADVERTISERS } from './network.ts';
import { createRandom, type Random } from './random.ts';

export type Side = 'CPG' | 'AGENCY';

export interface Contact {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly contactType: Side;
  readonly accountIds: readonly number[];
  readonly active: boolean;
}

export interface Address {
  readonly id: number;
  readonly companyName: string;
  readonly addressLine1: string;
  readonly addressLine2?: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly country: string;
  readonly addressType: Side;
  readonly accountIds: readonly number[];
  readonly active: boolean;
}

/** How many contacts an account has, by its position. */
const STAFF = [34, 17, 4, 12, 9];

/** @returns contacts of every account, more than a page of ten for the first; every fifth serves a second account, too. */
export function makeContacts(): Contact[] {
  const random = createRandom('contacts');
  const contacts: Contact[] = [];
  const taken = new Set<string>();
  for (const [rank, account] of ACCOUNTS.entries()) {
    const wanted = contacts.length + (STAFF[rank] ?? 0);
    while (contacts.length < wanted) {
      const [firstName, lastName] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
      const email = `${firstName}.${lastName}@example.com`.toLowerCase();
      if (taken.has(email)) continue;
      taken.add(email);
      contacts.push({
        id: 30_001 + contacts.length,
        firstName,
        lastName,
        email,
        contactType: random.chance(0.45) ? 'AGENCY' : 'CPG',
        accountIds: contacts.length % 5 === 4 ? withAnother(account.id, random) : [account.id],
        active: !random.chance(0.08),
      });
    }
  }
  return contacts;
}

/** @returns offices of each account's agencies and of its advertisers, so that every account has both kinds. */
export function makeAddresses(): Address[] {
  const random = createRandom('addresses');
  const addresses: Address[] = [];
  const add = (companyName: string, addressType: Side, accountIds: readonly number[]) => {
    const place = random.pick(CITIES);
    addresses.push({
      id: 40_001 + addresses.length,
      companyName,
      addressLine1: `${random.int(2, 980)} ${random.pick(STREETS)}`,
      ...(random.chance(0.4) ? { addressLine2: `Suite ${random.int(1, 40) * 10}` } : {}),
      city: place.city,
      state: place.state,
      postalCode: `${place.postal}${random.int(10, 100)}`,
      country: 'US',
      addressType,
      accountIds,
      active: !random.chance(0.05),
    });
  };
  for (const account of ACCOUNTS) {
    for (const agency of random.sample(AGENCIES, 3)) add(`${agency}, ${random.pick(OFFICES)}`, 'AGENCY', [account.id]);
  }
  for (const advertiser of ADVERTISERS) {
    for (const office of random.sample(OFFICES, 2)) add(`${advertiser.name}, ${office}`, 'CPG', advertiser.accountIds);
  }
  return addresses;
}

function withAnother(accountId: number, random: Random): number[] {
  const others = ACCOUNTS.map((account) => account.id).filter((id) => id !== accountId);
  return [accountId, random.pick(others)];
}
