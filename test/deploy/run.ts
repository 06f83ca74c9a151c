/**
 * `npm run test:deploy` deploys to an AWS emulator and tests the deployed API. `npm run test:deploy -- --url URL --key KEY` tests a deployed stack. There it
 * writes only the counters of the key, the view of its user, and cached reports, which expire after a quarter of an hour.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
if ((values.url === undefined) !== (values.key === undefined)) {
  process.stderr.write('usage: npm run test:deploy [-- --url URL --key KEY]\n');
  process.exit(2);
}
const files =
  values.url === undefined ? ['discover.test.ts', 'ministack.test.ts', 'template.test.ts'] : ['real-stack.test.ts'];
const environment = values.url === undefined ? {} : { ENDCAP_URL: values.url, ENDCAP_KEY: values.key };
const vitest = spawn('vitest', ['run', '--config', 'vitest.deploy.config.ts', ...files], {
  env: { ...process.env, ...environment },
  stdio: 'inherit',
});
const [code] = await once(vitest, 'exit');
process.exitCode = code ?? 1;
