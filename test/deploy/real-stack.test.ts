import { beforeAll, describe } from 'vitest';
import { readEnv } from '../../shared/lib/env.ts';
import { discoverTestData } from './black-box/discover.ts';
import { runSuite } from './black-box/run-suite.ts';
import type { TestData } from './black-box/suite.ts';
import { SUITES } from './black-box/suites.ts';
import { openTarget, type Target } from './target.ts';

let target: Target;
let testData: TestData;

beforeAll(async () => {
  const { ENDCAP_URL, ENDCAP_KEY } = readEnv(['ENDCAP_URL', 'ENDCAP_KEY']);
  target = openTarget({
    name: ENDCAP_URL,
    url: ENDCAP_URL.replace(/\/$/, ''),
    keys: new Map([['agency', ENDCAP_KEY]]),
  });
  testData = await discoverTestData(target);
});

describe('the deployed stack', () => {
  for (const suite of SUITES) {
    runSuite(suite, { targets: () => [target], testData: () => testData });
  }
});
