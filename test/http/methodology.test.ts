import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { reportRequest } from './support/gateway-event.ts';
import { type Instance, openTestService, type TestService } from './support/test-service.ts';

const NOTHING = {
  ...{ clickDays: null, viewDays: null, countedOn: null, model: null, matchLevel: null, sales: null },
  ...{ cost: { tax: null, discounts: null }, viewability: null, invalidTraffic: null },
  ...{ newToBrandLookbackDays: null, link: null, validFrom: null },
};
const METHODOLOGY = {
  pla: [
    { clickDays: 30, sales: 'gross' },
    { clickDays: 14, sales: 'gross', cost: { tax: 'excluded' }, validFrom: '2026-02-10' },
  ],
};
const CURRENT = { ...NOTHING, ...METHODOLOGY.pla[1], cost: { tax: 'excluded', discounts: null } };
const ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

const asked = (startDate: string, endDate: string) =>
  JSON.stringify({
    ...{ startDate, endDate, advertiserIds: [], metrics: ['impressions'], dimensions: [], filters: [], sort: [] },
    pagination: { offset: 0, size: 10 },
  });

describe('where the operator states how figures are made', () => {
  let service: TestService;
  let instance: Instance;
  beforeAll(async () => {
    vi.stubEnv('METHODOLOGY', JSON.stringify(METHODOLOGY));
    service = await openTestService();
    instance = await service.start();
  });
  afterAll(() => service.close());

  test('a report states the method of its last day, and the day on which it changes', async () => {
    const { body } = await instance.send('submit-report', reportRequest(asked('2026-02-01', '2026-02-28')));
    const { attribution, warnings } = Object(body).meta;
    expect(attribution).toEqual({ ...ATTRIBUTION, ...CURRENT });
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'METHOD_CHANGES', dates: [{ from: '2026-02-10', to: '2026-02-10' }] }),
    );
    const before = await instance.send('submit-report', reportRequest(asked('2026-01-01', '2026-02-09')));
    expect(Object(before.body).meta.attribution).toMatchObject({ clickDays: 30, validFrom: null });
  });

  test('a file has it in the header of the attribution', async () => {
    const request = reportRequest(asked('2026-02-01', '2026-02-28'));
    const headers = [...(request.headers ?? []), ['Accept', 'text/csv'] as const];
    const response = await instance.send('submit-report', { ...request, headers });
    const header = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'endcap-attribution');
    expect(JSON.parse(String(header?.[1]))).toEqual({ ...ATTRIBUTION, ...CURRENT });
  });

  test('the catalogue has all methods', async () => {
    const { body } = await instance.send('list-fields', { key: 'key-ana' });
    expect(Object(body).meta.methodology).toEqual({
      pla: [{ ...NOTHING, clickDays: 30, sales: 'gross' }, CURRENT],
      toa: [],
      carousel: [],
    });
  });
});

test('where nothing is stated, responses have no more members', async () => {
  const service = await openTestService();
  const instance = await service.start();
  const { body } = await instance.send('submit-report', reportRequest(asked('2026-02-01', '2026-02-28')));
  expect(Object(body).meta.attribution).toEqual(ATTRIBUTION);
  const fields = await instance.send('list-fields', { key: 'key-ana' });
  expect(Object(fields.body).meta).not.toHaveProperty('methodology');
  await service.close();
});
