import { NAMES } from '../data/names.ts';
import { ACCOUNTS, ADVERTISERS } from '../data/network.ts';
import { createRandom, type Random } from './random.ts';

/** A contact as a row of the load file `contacts`. */
export interface Contact {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly contactType: 'CPG' | 'AGENCY';
  readonly accountIds: readonly number[];
  readonly active: boolean;
}

/** An address as a row of the load file `addresses`. */
export interface Address {
  readonly id: number;
  readonly companyName: string;
  readonly addressLine1: string;
  readonly addressLine2?: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly country: string;
  readonly addressType: 'CPG' | 'AGENCY';
  readonly accountIds: readonly number[];
  readonly active: boolean;
}

/** @returns the contacts of every account; every fifth contact belongs to a second account as well */
export function makeContacts(): Contact[] {
  const random = createRandom('contacts');
  const contacts: Contact[] = [];
  const emails = new Set<string>();
  for (const account of ACCOUNTS) {
    const total = contacts.length + account.contactCount;
    while (contacts.length < total) {
      const [firstName, lastName] = [random.pick(NAMES.firstNames), random.pick(NAMES.lastNames)];
      const email = `${firstName}.${lastName}@example.com`.toLowerCase();
      if (emails.has(email)) continue;
      emails.add(email);
      contacts.push({
        id: 30_001 + contacts.length,
        firstName,
        lastName,
        email,
        contactType: random.chance(0.45) ? 'AGENCY' : 'CPG',
        accountIds: contacts.length % 5 === 4 ? [account.id, pickOtherAccount(account.id, random)] : [account.id],
        active: !random.chance(0.08),
      });
    }
  }
  return contacts;
}

/** @returns offices of agencies and of advertisers, so that every account has addresses of both types */
export function makeAddresses(): Address[] {
  const random = createRandom('addresses');
  const addresses: Address[] = [];
  const add = (companyName: string, addressType: Address['addressType'], accountIds: readonly number[]) => {
    const { city, state, postal } = random.pick(NAMES.cities);
    addresses.push({
      id: 40_001 + addresses.length,
      companyName,
      addressLine1: `${random.int(2, 980)} ${random.pick(NAMES.streets)}`,
      ...(random.chance(0.4) ? { addressLine2: `Suite ${random.int(1, 40) * 10}` } : {}),
      city,
      state,
      postalCode: `${postal}${random.int(10, 100)}`,
      country: 'US',
      addressType,
      accountIds,
      active: !random.chance(0.05),
    });
  };
  for (const account of ACCOUNTS) {
    for (const agency of random.sample(NAMES.agencies, 3)) {
      add(`${agency}, ${random.pick(NAMES.offices)}`, 'AGENCY', [account.id]);
    }
  }
  for (const advertiser of ADVERTISERS) {
    for (const office of random.sample(NAMES.offices, 2)) {
      add(`${advertiser.name}, ${office}`, 'CPG', advertiser.accountIds);
    }
  }
  return addresses;
}

function pickOtherAccount(accountId: number, random: Random): number {
  return random.pick(ACCOUNTS.map((account) => account.id).filter((id) => id !== accountId));
}
