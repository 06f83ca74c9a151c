import { afterEach, expect, test, vi } from 'vitest';
import { readReportSettings } from '../../shared/contract/report/report-settings.ts';

afterEach(() => void vi.unstubAllEnvs());

const attribution = { windowDays: 14, basis: 'conversion day' };
const ALL = { pla: attribution, toa: { windowDays: 7, basis: 'click day' }, carousel: attribution };

function useEnvironment(text: string): void {
  vi.stubEnv('TIME_ZONE', 'Europe/Berlin');
  vi.stubEnv('CURRENCY', 'EUR');
  vi.stubEnv('ATTRIBUTION', text);
}

test('the settings of each experience come from the environment', () => {
  useEnvironment(JSON.stringify(ALL));
  expect(readReportSettings().toa).toEqual({
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    attribution: { windowDays: 7, basis: 'click day' },
  });
});

test('what the environment lacks is named', () => {
  vi.stubEnv('TIME_ZONE', '');
  vi.stubEnv('CURRENCY', 'EUR');
  vi.stubEnv('ATTRIBUTION', undefined);
  expect(readReportSettings).toThrow('the environment lacks TIME_ZONE, ATTRIBUTION');
});

test.each([
  ['an experience is missing', { pla: attribution, toa: attribution }],
  ['an unknown experience', { ...ALL, video: attribution }],
  ['days that are no number', { ...ALL, pla: { windowDays: '14', basis: 'conversion day' } }],
  ['no basis', { ...ALL, pla: { windowDays: 14 } }],
])('attribution in another form is an error: %s', (_, value) => {
  useEnvironment(JSON.stringify(value));
  expect(readReportSettings).toThrow('ATTRIBUTION is not an object of windowDays and basis by experience');
});
