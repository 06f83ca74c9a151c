import { afterAll, expect, test, vi } from 'vitest';
import { openPlatform } from '../../shared/identity/platform.ts';
import { call, reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

vi.stubEnv('RESTATEMENT_DAYS', JSON.stringify({ pla: 3, toa: 5 }));
const service = await openTestService();
afterAll(() => service.close());
const delivery = [{ daily_date: '2026-02-01', hour: 9, ad_group_id: 701, impressions: 1 }];

const asked = (experience: string, headers: readonly (readonly [string, string])[] = []) => {
  const body = {
    ...{ startDate: '2026-02-01', endDate: '2026-02-02', advertiserIds: [], metrics: ['impressions'], dimensions: [] },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
  };
  const request = reportRequest(JSON.stringify(body), { experience });
  const key = ['Ocp-Apim-Subscription-Key', request.key] as const;
  return { ...request, method: 'POST', headers: [...(request.headers ?? []), key, ...headers] };
};
const { create } = await import('../../functions/submit-report.ts');
const on = (day: string) => create(openPlatform(), () => Date.parse(`${day}T12:00:00Z`));

test('a report says through which day its figures are final, in every format', async () => {
  const finalOn = async (day: string, experience = 'pla') => {
    const { status, body } = await call(on(day), asked(experience));
    expect(status).toBe(200);
    return Object(body).meta.dataFinalThrough;
  };
  expect(await finalOn('2026-02-03')).toBe('2026-01-30');
  expect(await finalOn('2026-02-05')).toBe('2026-02-01');
  expect(await finalOn('2026-02-28')).toBe('2026-02-02'); // the last complete day
  expect(await finalOn('2026-02-28', 'toa')).toBeNull(); // without data
  expect(await finalOn('2026-02-05', 'all')).toBe('2026-02-01');
  await service.load({ 'facts/toa/delivery': delivery });
  expect(await finalOn('2026-02-05', 'all')).toBe('2026-01-30');
  await service.load({ 'facts/carousel/delivery': delivery });
  expect(await finalOn('2026-02-05', 'carousel')).toBeNull(); // not stated
  expect(await finalOn('2026-02-05', 'all')).toBeNull();

  const csv = await call(on('2026-02-05'), asked('pla', [['Accept', 'text/csv']]));
  expect(csv.headers).toMatchObject({
    'Endcap-Data-Final-Through': '2026-02-01',
    'Endcap-Data-Updated-At': expect.stringMatching(/^20.*Z$/),
  });
});
