import { describe, expect, test } from 'vitest';
import { breakDown, breakdownsOf } from '../../../shared/web/explorer/question/drill.ts';
import { EMPTY_QUESTION } from '../../../shared/web/explorer/question/question.ts';
import { CATALOGUE, catalogueOf } from './support.ts';

const question = {
  ...EMPTY_QUESTION,
  metrics: ['cost'],
  dimensions: ['campaign_name', 'campaign_id'],
  filters: [
    { field: 'campaign_name', operator: 'CONTAINS', values: ['Sale'] },
    { field: 'keyword', operator: 'NOT_NULL', values: [] },
  ],
  sort: [{ field: 'campaign_name', order: 'ASC' as const }],
  chart: 'bar' as const,
};
const namesOf = (asked: Partial<typeof question>, catalogue = CATALOGUE) =>
  breakdownsOf({ ...question, ...asked }, catalogue).map(({ name }) => name);

describe('a row can be broken down', () => {
  test('by finer levels, the next first, and not by what it is by already or what is above it', () => {
    expect(namesOf({}).slice(0, 2)).toEqual(['ad_group_name', 'daily_date']);
    expect(namesOf({ dimensions: ['ad_group_id', 'placement'] }).slice(0, 2)).toEqual(['daily_date', 'keyword']);
    expect(namesOf({ dimensions: ['keyword'] }).slice(0, 3)).toEqual([
      'advertiser_name',
      'campaign_name',
      'ad_group_name',
    ]);
  });

  test('by what has data in the experience only, and by experience in all of them only', () => {
    expect(namesOf({}, catalogueOf({ pla: ['ad_group_name', 'hour'] }))).not.toContain('ad_group_name');
    expect(namesOf({})).not.toContain('experience_name');
    expect(namesOf({ experience: 'all' })).toContain('experience_name');
  });

  test('into a question about what is in the row alone, which keeps filters on other fields', () => {
    const row = { campaign_name: 'Sale', campaign_id: 7, cost: 3 };
    expect(breakDown(question, row, 'ad_group_name', CATALOGUE)).toEqual({
      ...question,
      dimensions: ['ad_group_name', 'ad_group_id'],
      filters: [
        { field: 'keyword', operator: 'NOT_NULL', values: [] },
        { field: 'campaign_name', operator: 'EQUALS', values: ['Sale'] },
        { field: 'campaign_id', operator: 'EQUALS', values: ['7'] },
      ],
      sort: [],
      chart: 'auto',
    });
  });

  test('without filters of figures, which would select among its parts, but with those of attributes', () => {
    const filters = ['cost', 'cost_per_click', 'campaign_status'].map((field) => {
      return { field, operator: 'NOT_NULL', values: [] };
    });
    const asked = { ...question, filters };
    const { filters: kept } = breakDown(asked, { campaign_name: 'Sale', campaign_id: 7 }, 'daily_date', CATALOGUE);
    expect(kept.map(({ field }) => field)).toEqual(['campaign_status', 'campaign_name', 'campaign_id']);
  });

  test.each([
    ['week_date', undefined],
    ['placement', 'previousPeriod'],
  ] as const)('of %s with the compared period %s: another period has no such week', (name, compare) => {
    const asked = { ...question, dimensions: [name], compare: 'previousPeriod' as const };
    expect(breakDown(asked, { [name]: '2026-02-02' }, 'campaign_name', CATALOGUE).compare).toBe(compare);
  });

  test('if it has no value, too', () => {
    expect(
      breakDown({ ...question, dimensions: ['keyword'] }, { keyword: null }, 'daily_date', CATALOGUE),
    ).toMatchObject({
      dimensions: ['daily_date'],
      filters: [{ field: 'campaign_name' }, { field: 'keyword', operator: 'IS_NULL', values: [] }],
    });
  });
});
