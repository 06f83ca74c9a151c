import { describe, expect, test } from 'vitest';
import { type Methodology, methodChanges, methodOn, stated } from '../../shared/catalog/methodology.ts';

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
