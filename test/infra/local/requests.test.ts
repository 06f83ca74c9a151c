import { afterAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/config/routes.ts';
import { DEMO_USER_ID_KEY } from '../../../infra/local/demo/demo-keys.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { discoverTestData } from '../../deploy/black-box/discover.ts';
import { runSuite } from '../../deploy/black-box/suite.ts';
import { SUITES } from '../../deploy/black-box/suites.ts';
import { createDemoKeys } from '../../deploy/support/demo-keys.ts';
import { openTarget } from '../../deploy/target.ts';
import { DEMO_END, startTestStage } from '../../support/stage.ts';

const stage = await startTestStage({ demo: true });
afterAll(() => stage.close());

const requested = new Set<string>();
const target = openTarget({
  name: 'local',
  url: await stage.url(),
  keys: await createDemoKeys(stage.table),
  load: async (folder) => {
    await loadFolder({ folder, table: stage.table, timeZone: stage.timeZone, userIdKey: async () => DEMO_USER_ID_KEY });
  },
});
const testData = await discoverTestData(target, DEMO_END);

const recorded = {
  ...target,
  send: (request: Parameters<typeof target.send>[0]) => {
    requested.add(`${request.method ?? 'GET'} ${request.path.replace(/\?.*/, '')}`);
    return target.send(request);
  },
};

describe('the local stage', () => {
  for (const suite of SUITES) runSuite(suite, { targets: () => [recorded], testData: () => testData });

  test('has no route that these requests leave out, other than its pages', () => {
    const missing = ROUTES.filter(({ method, path }) => {
      const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return ![...requested].some((request) => pattern.test(request));
    });
    expect(missing.map(({ path }) => path)).toEqual([]);
  });
});
