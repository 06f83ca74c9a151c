import { beforeEach, describe, expect, test } from 'vitest';
import { readAudit, recordAudit } from '../../shared/store/audit-trail.ts';
import { auditItem, type KeyEntry, type LoadEntry } from '../../shared/store/commit/audit-entry.ts';
import { beginCommit } from '../../shared/store/commit/commits.ts';
import { useTablePerTest } from '../support/use-engine.ts';

const made = useTablePerTest();
const entry = (at: string, subject = 'a1'): KeyEntry => ({
  at,
  actor: 'local user ana',
  action: 'key create',
  subject,
  details: { userId: 'ana' },
});
const loadEntry = (at: string): LoadEntry => ({
  ...entry(at),
  action: 'load',
  details: { listings: [], facts: {}, warnings: 0, seconds: 1 },
});
const between = async (from: string, to: string) =>
  (await readAudit(made.table, Date.parse(from), Date.parse(to))).map(({ at }) => at);

describe('the audit', () => {
  test('returns the entries of a period in order, over the ends of months and years', async () => {
    const times = [
      '2025-11-30T23:59:59.999Z',
      '2025-12-31T23:59:59.000Z',
      '2026-01-01T00:00:00.000Z',
      '2026-03-01T12:00:00.000Z',
    ];
    for (const at of times.toReversed()) await recordAudit(made.table, entry(at));
    expect(await between('2025-11-01', '2026-04-01')).toEqual(times);
    expect(await between('2025-12-01', '2026-01-01')).toEqual(times.slice(1, 3));
    expect(await between('2026-03-01T12:00:00.001Z', '2026-04-01')).toEqual([]);
    expect(await readAudit(made.table, Date.parse('2026-03-01'), Date.parse('2026-04-01'))).toEqual([
      entry('2026-03-01T12:00:00.000Z'),
    ]);
  });

  test('has the entries of keys and loads in one order', async () => {
    const times = ['2026-03-01T01:00:00.000Z', '2026-03-01T02:00:00.000Z', '2026-03-01T03:00:00.000Z'] as const;
    await recordAudit(made.table, entry(times[2]));
    await made.table.put(auditItem(loadEntry(times[1]), 0)); // a committed load
    await recordAudit(made.table, entry(times[0]));
    expect(await between('2026-03-01', '2026-03-02')).toEqual(times);
  });

  test('has entries of loads that an earlier release wrote to the partition of the keys', async () => {
    const at = '2026-03-01T01:00:00.000Z';
    await made.table.put({ ...auditItem(loadEntry(at), 0), pk: 'AUDIT#2026-03' });
    expect(await between('2026-03-01', '2026-03-02')).toEqual([at]);
  });

  test('keeps all entries of the same millisecond', async () => {
    const at = '2026-03-01T12:00:00.000Z';
    await Promise.all(Array.from({ length: 30 }, (_, index) => recordAudit(made.table, entry(at, String(index)))));
    expect(await between('2026-03-01', '2026-03-02')).toHaveLength(30);
  });
});

describe('the entry of a load', () => {
  const at = '2026-03-01T12:00:00.000Z';
  let writer: Awaited<ReturnType<typeof beginCommit>>;
  beforeEach(async () => {
    writer = await beginCommit(made.table, { owner: 'the test' });
    writer.setAuditEntry(loadEntry(at));
  });

  test('is written with the load, and shown once the load is committed', async () => {
    await writer.putItems([{ pk: 'X', sk: String(writer.n) }]);
    await writer.finish();
    expect(await between('2026-03-01', '2026-03-02')).toEqual([at]);
  });

  test('is not written by a load that changes nothing, and not by one that is abandoned', async () => {
    await writer.finish();
    const abandoned = await beginCommit(made.table, { owner: 'the test' });
    abandoned.setAuditEntry(loadEntry(at));
    await abandoned.putItems([{ pk: 'X', sk: String(abandoned.n) }]);
    await abandoned.abandon();
    expect((await made.content()).filter(({ pk }) => pk.startsWith('AUDIT'))).toEqual([]);
  });

  test('is not shown if the load was interrupted between the entry and the commit', async () => {
    await made.table.put(auditItem(loadEntry(at), writer.n));
    expect(await between('2026-03-01', '2026-03-02')).toEqual([]);
    await writer.abandon();
  });
});
