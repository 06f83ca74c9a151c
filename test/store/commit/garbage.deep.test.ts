import { beforeEach, describe, expect, test } from 'vitest';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { ENGINES, type TestTable } from '../../support/table.ts';
import { useEngine } from '../../support/use-engine.ts';
import { dieAtCall, expireLease, keysOfLoad, readSample, writeSample } from '../sample-load.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

describe.each(ENGINES)('superseded items on %s', (name) => {
  const engine = useEngine(name);
  let made: TestTable;
  let now: number;

  beforeEach(async () => {
    made = await engine.createTable();
    now = Date.UTC(2026, 0, 1);
  });

  const begin = (table: Table = made.table) => beginCommit(table, { owner: 'the test', clock: () => now });

  const load = async (seed: number) => {
    const writer = await begin();
    await writeSample(writer, seed);
    await writer.finish();
    return writer.n;
  };

  const writtenBy = async (n: number) =>
    keysOfLoad(
      (await made.content()).filter(({ pk }) => !pk.startsWith('GARBAGE')),
      n,
    );

  // contacts are retained longer, for the users' views (`Retention`)
  const contactsIn = (keys: readonly string[]) => keys.filter((key) => key.startsWith('LISTING#contacts'));
  const withoutContacts = (keys: readonly string[]) => keys.filter((key) => !key.startsWith('LISTING#contacts'));
  /** Of the items that the load of seed 1 has written, those that the load of seed 2 does not supersede. */
  const notSuperseded = (written: readonly string[]) => [
    'COMMIT TIME#0000000001', // kept for what the load has left
    'FACTS#7#pla#delivery#2026-05#clicks 02#0000000001#0000',
    'FACTS#7#pla#delivery#2026-05#clicks 02#0000000001#0001',
    'FACTS#7#pla#delivery#2026-05#cost 02#0000000001#0000',
    ...written.filter((key) => key.startsWith('LISTING#products')),
    'USER#u-1 ACCOUNT#0000000000000001#0000000001',
  ];

  test('are deleted by the first load that begins a minute after the commit, contacts after 31 days', async () => {
    const first = await load(1);
    const before = await writtenBy(first);
    const second = await load(2);
    const seen = await readSample(made.table, await readCommit(made.table));

    now += 60 * SECOND - 1;
    await (await begin()).finish();
    expect(await writtenBy(first)).toEqual(before);

    now += 1;
    await (await begin()).finish();
    const left = await writtenBy(first);
    expect(contactsIn(left)).toEqual(contactsIn(before));
    expect(contactsIn(left)).toHaveLength(4); // the contacts of seed 1
    expect(withoutContacts(left)).toEqual(notSuperseded(before));

    now += 31 * DAY - 60 * SECOND - 1;
    await (await begin()).finish();
    expect(contactsIn(await writtenBy(first))).toEqual(contactsIn(before));

    now += 1;
    await (await begin()).finish();
    expect(contactsIn(await writtenBy(first))).toEqual([]);
    expect(await readSample(made.table, await readCommit(made.table))).toEqual(seen);
    expect((await made.content()).filter(({ pk }) => pk.startsWith('GARBAGE'))).toEqual([]);
    expect((await readCommit(made.table)).commit).toBe(second);
  });

  test('are no longer listed in a head once it is written again after their deletion', async () => {
    const versions = async () => {
      const head = (await made.content()).find(({ pk }) => pk === 'ACCOUNT#1#ADVERTISERS');
      return Array.isArray(head?.versions) ? head.versions.map(({ n }: { n: number }) => n) : [];
    };
    for (const seed of [1, 2, 3]) await load(seed);
    expect(await versions()).toEqual([1, 2, 3]);
    now += 61 * SECOND;
    await load(4);
    expect(await versions()).toEqual([3, 4]);
    await load(5);
    expect(await versions()).toEqual([3, 4, 5]);
  });

  test('include the tombstones of removed entries, which are deleted after what they hide', async () => {
    const tombstones = async () =>
      (await made.content()).filter(({ gone }) => gone === true).map(({ pk, sk }) => `${pk} ${sk}`);
    const hidden = async () =>
      (await writtenBy(1)).filter((key) => key.startsWith('ADGROUP#51 ') || key.startsWith('USER#u-11 '));
    await load(1);
    await load(2);
    expect(await hidden()).toHaveLength(3);
    const removed = await tombstones();
    expect(removed).toEqual([
      'ADGROUP#51 OWNER#0000000002',
      'USER#u-1 ACCOUNT#0000000000000011#0000000002',
      'USER#u-11 ACCOUNT#0000000000000001#0000000002',
      'USER#u-11 PROFILE#0000000002',
    ]);
    now += 61 * SECOND;
    await load(2);
    expect(await hidden()).toEqual([]);
    expect(await tombstones()).toEqual(removed);
    now += 61 * SECOND;
    await load(2);
    expect(await tombstones()).toEqual([]);
  });

  test('are deleted completely even if loads are killed while they delete', async () => {
    await load(1);
    await load(2);
    now += 31 * DAY;
    const seen = await readSample(made.table, await readCommit(made.table));
    const isGarbage = ({ pk }: { pk: string }) => pk.startsWith('GARBAGE');
    const content = async () => (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
    let killed = 0;
    for (let calls = 4; (await content()).some(isGarbage); calls += 2) {
      const collecting = begin(dieAtCall(made.table, calls)).then((writer) => writer.finish());
      await collecting.catch(() => {
        killed += 1;
      });
      await expireLease(made.table);
      expect(await readSample(made.table, await readCommit(made.table))).toEqual(seen);
    }
    expect(killed).toBeGreaterThanOrEqual(3);
    const remains = (await content()).map(({ pk, sk }) => `${pk} ${sk}`);
    made = await engine.createTable();
    await load(1);
    await load(2);
    now += 31 * DAY;
    await (await begin()).finish();
    expect(remains).toEqual((await content()).map(({ pk, sk }) => `${pk} ${sk}`));
  });

  test('of a load that is killed right after its commit are retained for a minute from the next load on', async () => {
    const first = await load(1);
    const before = withoutContacts(await writtenBy(first));
    await load(2);
    const stamps = (await made.content()).filter(({ pk, at }) => pk.startsWith('GARBAGE') && at !== undefined);
    expect(stamps).toHaveLength(2);
    await made.table.deleteMany(stamps);
    now += 61 * SECOND;
    await (await begin()).finish();
    expect(withoutContacts(await writtenBy(first))).toEqual(before);
    now += 60 * SECOND - 1;
    await (await begin()).finish();
    expect(withoutContacts(await writtenBy(first))).toEqual(before);
    now += 1;
    await (await begin()).finish();
    expect(withoutContacts(await writtenBy(first))).toEqual(notSuperseded(before));
  });
});
