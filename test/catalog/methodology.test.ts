import { describe, expect, test } from 'vitest';
import {
  type Finality,
  lastFinalDay,
  type Methodology,
  methodChanges,
  methodOn,
  stated,
} from '../../shared/catalog/methodology.ts';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';

const NOTHING = {
  ...{ clickDays: null, viewDays: null, countedOn: null, model: null, matchLevel: null, sales: null },
  ...{ cost: { tax: null, discounts: null }, viewability: null, invalidTraffic: null },
  ...{ newToBrandLookbackDays: null, link: null, validFrom: null },
};
const METHODS: Methodology = {
  pla: [
    { clickDays: 30, sales: 'gross', cost: { tax: 'excluded' } },
    { clickDays: 14, sales: 'gross', cost: { tax: 'excluded' }, validFrom: '2026-03-01' },
  ],
  toa: [{ clickDays: 14, sales: 'gross', validFrom: '2026-02-01' }],
};

describe('the method of a report', () => {
  test('is that of its last day, with null for what is not stated', () => {
    const excluded = { tax: 'excluded', discounts: null };
    expect(methodOn(METHODS, 'pla', '2026-02-28')).toEqual({
      ...NOTHING,
      clickDays: 30,
      sales: 'gross',
      cost: excluded,
    });
    expect(methodOn(METHODS, 'pla', '2026-03-01')).toMatchObject({ clickDays: 14, validFrom: '2026-03-01' });
    expect(methodOn(METHODS, 'toa', '2026-01-31')).toEqual(NOTHING);
    expect(methodOn(METHODS, 'carousel', '2026-03-01')).toEqual(NOTHING);
  });

  test('is absent where nothing is stated', () => {
    expect(methodOn(undefined, 'pla', '2026-03-01')).toBeUndefined();
  });

  test('over all experiences has what they agree on', () => {
    const alike: Methodology = {
      pla: [{ clickDays: 14, sales: 'net' }],
      toa: [{ clickDays: 14 }],
      carousel: [{ clickDays: 14 }],
    };
    expect(methodOn(alike, 'all', '2026-03-01')).toEqual({ ...NOTHING, clickDays: 14 });
  });

  test('lists all members of what is stated', () => {
    expect(stated({ viewDays: 1, cost: { discounts: 'after' } })).toEqual({
      ...NOTHING,
      viewDays: 1,
      cost: { tax: null, discounts: 'after' },
    });
  });
});

test('a method changes after the first day of a period, up to its last', () => {
  const changes = (first: string, last: string) => methodChanges(METHODS, 'all', { first, last });
  expect(changes('2026-01-01', '2026-03-31')).toEqual(['2026-02-01', '2026-03-01']);
  expect(changes('2026-02-01', '2026-03-01')).toEqual(['2026-03-01']);
  expect(changes('2026-03-01', '2026-03-31')).toEqual([]);
  expect(methodChanges(METHODS, 'pla', { first: '2026-01-01', last: '2026-03-31' })).toEqual(['2026-03-01']);
  expect(methodChanges(undefined, 'all', { first: '2026-01-01', last: '2026-03-31' })).toEqual([]);
});

describe('the last final day', () => {
  const today = dayNumber('2026-03-20');
  const last = (finality: Partial<Finality>, complete = '2026-03-19', name: 'pla' | 'toa' = 'pla') => {
    const all = { restatementDays: { pla: 3 }, windowDays: { pla: 14, toa: 7 }, ...finality };
    const day = lastFinalDay(all, name, { complete: dayNumber(complete), today });
    return day === undefined ? undefined : formatDay(day);
  };

  test('is that many days before yesterday, or the last complete one if that is earlier', () => {
    expect(last({})).toBe('2026-03-16');
    expect(last({ restatementDays: { pla: 0 } })).toBe('2026-03-19');
    expect(last({}, '2026-03-10')).toBe('2026-03-10');
  });

  test('is unknown where the operator does not state how long days are loaded again', () => {
    expect(last({ restatementDays: { toa: 3 } })).toBeUndefined();
    expect(last({ restatementDays: { toa: 3 } }, '2026-03-19', 'toa')).toBe('2026-03-16');
  });

  test.each<[string, NonNullable<Methodology['pla']>, string]>([
    ['conversions are counted on their own day', [{ clickDays: 9, countedOn: 'conversionDay' }], '2026-03-16'],
    ['it is not stated', [{ clickDays: 9, viewDays: 1 }], '2026-03-16'],
    ['the longer window', [{ clickDays: 9, viewDays: 1, countedOn: 'adDay' }], '2026-03-07'],
    ['the window of the attribution where one is not stated', [{ viewDays: 1, countedOn: 'adDay' }], '2026-03-02'],
    [
      'the method of the day: those before a longer window are final',
      [
        { clickDays: 1, viewDays: 1, countedOn: 'adDay' },
        { clickDays: 14, countedOn: 'adDay', validFrom: '2026-03-10' },
      ],
      '2026-03-09',
    ],
    [
      'the method of the day: those of a longer window are not final yet',
      [
        { clickDays: 14, countedOn: 'adDay' },
        { countedOn: 'conversionDay', validFrom: '2026-03-10' },
      ],
      '2026-03-02',
    ],
    [
      'the method of the day: all of an older one are final',
      [
        { clickDays: 9, viewDays: 9, countedOn: 'adDay' },
        { countedOn: 'conversionDay', validFrom: '2026-03-06' },
        { clickDays: 14, viewDays: 1, countedOn: 'adDay', validFrom: '2026-03-21' },
      ],
      '2026-03-16',
    ],
  ])('is earlier by the window only where conversions are counted on the day of the ad: %s', (_, methods, expected) => {
    expect(last({ methodology: { pla: methods } })).toBe(expected);
  });
});
