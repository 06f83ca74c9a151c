import { beforeAll, describe } from 'vitest';
import { readEnv } from '../../shared/lib/env.ts';
import { cachingRule } from './black-box/caching-rule.ts';
import { discoverWorld } from './black-box/discover.ts';
import { errors } from './black-box/errors.ts';
import { fileFormats } from './black-box/files.ts';
import { keys } from './black-box/keys.ts';
import { listings, paging } from './black-box/listings.ts';
import { reports } from './black-box/reports.ts';
import { runSuite } from './black-box/run-suite.ts';
import type { World } from './black-box/suite.ts';
import { tokens } from './black-box/tokens.ts';
import { openTarget, type Target } from './target.ts';

let target: Target;
let world: World;

beforeAll(async () => {
  const { ENDCAP_URL, ENDCAP_KEY } = readEnv(['ENDCAP_URL', 'ENDCAP_KEY']);
  target = openTarget({
    name: ENDCAP_URL,
    url: ENDCAP_URL.replace(/\/$/, ''),
    keys: new Map([['agency', ENDCAP_KEY]]),
  });
  world = await discoverWorld(target);
});

describe('the deployed stack', () => {
  for (const suite of [listings, paging, errors, keys, reports, fileFormats, tokens, cachingRule]) {
    runSuite(suite, { targets: () => [target], world: () => world });
  }
});
