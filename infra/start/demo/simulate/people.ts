import { NAMES } from '../data/names.ts';
import { ACCOUNTS, ADVERTISERS } from '../data/network.ts';
import { createRandom, type Random } from './random.ts';

/** @returns the rows of the load file `contacts`: those of every account; every fifth contact belongs to a second account as well */
export function makeContacts() {
  const random = createRandom('contacts');
  const contacts = [];
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

/** @returns the rows of the load file `addresses`: offices of agencies and of advertisers, so that every account has addresses of both types */
export function makeAddresses() {
  const random = createRandom('addresses');
  let id = 40_000;
  const make = (companyName: string, addressType: 'CPG' | 'AGENCY', accountIds: readonly number[]) => {
    const { city, state, postal } = random.pick(NAMES.cities);
    id += 1;
    return {
      id,
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
    };
  };
  const ofAgencies = ACCOUNTS.flatMap((account) =>
    random
      .sample(NAMES.agencies, 3)
      .map((agency) => make(`${agency}, ${random.pick(NAMES.offices)}`, 'AGENCY', [account.id])),
  );
  const ofAdvertisers = ADVERTISERS.flatMap(({ name, accountIds }) =>
    random.sample(NAMES.offices, 2).map((office) => make(`${name}, ${office}`, 'CPG', accountIds)),
  );
  return [...ofAgencies, ...ofAdvertisers];
}

function pickOtherAccount(accountId: number, random: Random): number {
  return random.pick(ACCOUNTS.map((account) => account.id).filter((id) => id !== accountId));
}
