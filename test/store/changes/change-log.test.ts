import { describe, expect, test } from 'vitest';
import { daysOfRanges } from '../../../shared/layout/day-ranges.ts';
import { DAY_MS, dayNumber } from '../../../shared/lib/calendar.ts';
import {
  addChange,
  type ChangedDay,
  decodeChangeLog,
  encodeChangeLog,
} from '../../../shared/store/changes/change-log.ts';
import { randomFrom } from '../../oracle/random/random.ts';

const NONE = decodeChangeLog(undefined);
const TABLES = ['pla/delivery', 'pla/conversions', 'pla/activity', 'toa/delivery'] as const;
const FIRST = dayNumber('2026-01-01');
const START = Date.parse('2026-01-02T06:00:00Z');

describe('the log of changes of an advertiser', () => {
  test('has each day once, with its last load, and decodes to what was encoded', () => {
    const random = randomFrom(7);
    const expected = new Map<string, string>();
    let log = NONE;
    for (let load = 0; load < 200; load++) {
      const at = START + load * 3_600_000 + random.int(1_000);
      const days = new Map<string, ChangedDay>();
      for (let i = random.int(20); i >= 0; i--) {
        const table = random.pick(TABLES);
        const day = FIRST + random.int(40);
        const kind = random.pick(['loaded', 'restated', 'emptied'] as const);
        days.set(`${table} ${day}`, { table, day, kind });
      }
      for (const [key, { kind }] of days) expected.set(key, `${kind} ${at}`);
      log = decodeChangeLog(encodeChangeLog(addChange(log, at, { days: [...days.values()] })));
      const found = log.days.flatMap(({ table, ranges, kind, at: time }) =>
        daysOfRanges(ranges).map((day) => [`${table} ${day}`, `${kind} ${time}`] as const),
      );
      expect(found).toHaveLength(expected.size);
      expect(new Map(found)).toEqual(expected);
    }
    expect(log).toMatchObject({ dropped: 0, listings: {} });
  });

  test('has listings with their last load', () => {
    const once = addChange(NONE, 5, { listings: new Set(['campaigns', 'products']) });
    const twice = addChange(once, 9, { listings: new Set(['campaigns']) });
    expect(decodeChangeLog(encodeChangeLog(twice)).listings).toEqual({ campaigns: 9, products: 5 });
  });

  test('forgets changes after 400 days, and says up to which time', () => {
    const day = (table: ChangedDay['table']): ChangedDay => ({ table, kind: 'loaded', day: FIRST });
    const first = addChange(NONE, START, { days: TABLES.map(day) });
    const later = addChange(first, START + 400 * DAY_MS, { days: [day('pla/delivery')] });
    expect(later.dropped).toBe(0);
    const last = addChange(later, START + 400 * DAY_MS + 1, { days: [day('pla/conversions')] });
    expect(last.dropped).toBe(START);
    expect(last.days.map(({ table }) => table)).toEqual(['pla/delivery', 'pla/conversions']);
    expect(addChange(last, START + 401 * DAY_MS, { days: [day('pla/activity')] }).dropped).toBe(START);
  });

  test.each([
    ['a day a night', 1],
    ['a day and the three before it', 4],
  ])('takes at most 8 KiB, which its head holds, after 500 nights that load %s', (_, days) => {
    const random = randomFrom(1);
    let log = NONE;
    for (let night = 0; night < 500; night++) {
      const of = (table: ChangedDay['table']) =>
        Array.from({ length: days }, (_, back): ChangedDay => {
          return { table, day: FIRST + night - back, kind: back === 0 || night < back ? 'loaded' : 'restated' };
        });
      log = addChange(log, START + night * DAY_MS + random.int(600_000), { days: TABLES.flatMap(of) });
    }
    const bytes = encodeChangeLog(log).columns.get('changes')?.length ?? 0;
    expect(bytes).toBeGreaterThan(400);
    expect(bytes).toBeLessThan(8_192);
  });

  test('is not readable if it is damaged', () => {
    const { rows, columns } = encodeChangeLog(addChange(NONE, 5, { listings: new Set(['campaigns']) }));
    const [[name, bytes] = ['', new Uint8Array()]] = columns;
    const damaged = bytes.map((byte, index) => (index === bytes.length - 6 ? byte ^ 1 : byte));
    expect(() => decodeChangeLog({ rows, columns: new Map([[name, damaged]]) })).toThrow(/log of changes/);
  });
});
