import { afterAll, expect, test, vi } from 'vitest';
import { DATA_SETTINGS_KEY } from '../../shared/store/table/item-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
afterAll(() => service.close());

test('reports fail while the settings are not those of the loaded data, and the log names the setting', async () => {
  await service.table.put({ ...DATA_SETTINGS_KEY, currency: 'USD', timeZone: 'America/New_York' });
  const submit = async () => (await service.start()).send('submit-report', reportRequest(JSON.stringify(GOOD_REPORT)));
  expect((await submit()).status).toBe(200);
  vi.stubEnv('CURRENCY', 'EUR');
  expect((await submit()).status).toBe(500);
  expect(JSON.stringify(service.logged)).toContain('the setting currency is EUR');
});
