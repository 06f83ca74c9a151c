import { afterEach, expect, test, vi } from 'vitest';
import { readReportSettings } from '../../shared/contract/report/report-settings.ts';

afterEach(() => void vi.unstubAllEnvs());

const attribution = { windowDays: 14, basis: 'conversion day' };
const ALL = { pla: attribution, toa: { windowDays: 7, basis: 'click day' }, carousel: attribution };

function useEnvironment(text: string, minOthers = '3', weekStartsOn = 'Sunday'): void {
  vi.stubEnv('TIME_ZONE', 'Europe/Berlin');
  vi.stubEnv('CURRENCY', 'EUR');
  vi.stubEnv('ATTRIBUTION', text);
  vi.stubEnv('MARKET_MIN_OTHERS', minOthers);
  vi.stubEnv('WEEK_STARTS_ON', weekStartsOn);
}

test('readReportSettings returns the settings of each experience from the environment variables', () => {
  useEnvironment(JSON.stringify(ALL));
  expect(readReportSettings().toa).toEqual({
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    attribution: { windowDays: 7, basis: 'click day' },
    marketMinOthers: 3,
    weekStartsOn: 'Sunday',
  });
});

test('readReportSettings returns for all experiences the common attribution, or a text where they differ', () => {
  useEnvironment(JSON.stringify(ALL));
  expect(readReportSettings().all.attribution).toEqual({
    windowDays: null,
    basis: 'pla: 14 days, conversion day; toa: 7 days, click day; carousel: 14 days, conversion day',
  });
  useEnvironment(JSON.stringify({ ...ALL, toa: attribution }));
  expect(readReportSettings().all.attribution).toEqual(attribution);
});

test('readReportSettings names all variables that are missing', () => {
  vi.stubEnv('TIME_ZONE', '');
  vi.stubEnv('CURRENCY', 'EUR');
  vi.stubEnv('ATTRIBUTION', undefined);
  vi.stubEnv('MARKET_MIN_OTHERS', undefined);
  vi.stubEnv('WEEK_STARTS_ON', 'Monday');
  expect(readReportSettings).toThrow('the environment lacks TIME_ZONE, ATTRIBUTION, MARKET_MIN_OTHERS');
});

test.each([
  ['a missing experience', { pla: attribution, toa: attribution }],
  ['an unknown experience', { ...ALL, video: attribution }],
  ['days that are not a number', { ...ALL, pla: { windowDays: '14', basis: 'conversion day' } }],
  ['a missing basis', { ...ALL, pla: { windowDays: 14 } }],
])('readReportSettings rejects an attribution with %s', (_, value) => {
  useEnvironment(JSON.stringify(value));
  expect(readReportSettings).toThrow('ATTRIBUTION must be an object with windowDays and basis per experience');
});

test.each(['-1', '2.5', 'three', '1e9'])('readReportSettings rejects %s as a number of other advertisers', (text) => {
  useEnvironment(JSON.stringify(ALL), text);
  expect(readReportSettings).toThrow(`MARKET_MIN_OTHERS must be an integer from 0 to 9999: ${text}`);
});

test('readReportSettings rejects a first day of the week that is none', () => {
  useEnvironment(JSON.stringify(ALL), '3', 'sunday');
  expect(readReportSettings).toThrow('WEEK_STARTS_ON must be Monday, Tuesday');
});
