import { beforeAll, describe } from 'vitest';
import { readEnv } from '../../shared/lib/env.ts';
import { discoverTestData } from './black-box/discover.ts';
import type { TestData } from './black-box/suite.ts';
import { runSuite } from './black-box/suite.ts';
import { SUITES } from './black-box/suites.ts';
import { MINISTACK_DIFFERENCES, remapChallenges } from './differences.ts';
import { openTarget, type Target } from './target.ts';

/** MiniStack serves the start page under the path that `npx endcap prove` uses there. */
const DIFFERENCES = new Map([...MINISTACK_DIFFERENCES].filter(([name]) => !name.startsWith('the stage itself')));
/** As commands of AWS decide. */
const onEmulator = process.env.AWS_ENDPOINT_URL !== undefined;

let target: Target;
let testData: TestData;

beforeAll(async () => {
  const { ENDCAP_URL, ENDCAP_KEY } = readEnv(['ENDCAP_URL', 'ENDCAP_KEY']);
  const keys = new Map([['agency', ENDCAP_KEY]] as const);
  const opened = openTarget({ name: ENDCAP_URL, url: ENDCAP_URL.replace(/\/$/, ''), keys });
  target = onEmulator ? remapChallenges(opened) : opened;
  testData = await discoverTestData(target);
});

describe('the deployed stack', () => {
  for (const suite of SUITES) {
    const differences = onEmulator ? { differences: DIFFERENCES } : {};
    runSuite(suite, { targets: () => [target], testData: () => testData, ...differences });
  }
});
