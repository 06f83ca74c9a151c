/**
 * `npm run test:deploy` deploys to an AWS emulator and tests the deployed API. `npm run test:deploy -- --url URL` tests a deployed stack, with the key in
 * ENDCAP_KEY or --key. There it writes only the counters of the key and the view of its user.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
const { url, key = process.env.ENDCAP_KEY } = values;
if (url === undefined ? values.key !== undefined : !key) {
  process.stderr.write(
    'usage: npm run test:deploy [-- --url URL [--key KEY]]; default of --key: ENDCAP_KEY, which others on the machine cannot see\n',
  );
  process.exit(2);
}
const files =
  url === undefined
    ? [
        'aws-commands.test.ts',
        'discover.test.ts',
        'ministack.test.ts',
        'prove.test.ts',
        'sam.test.ts',
        'shells.test.ts',
        'template.test.ts',
      ]
    : ['real-stack.test.ts'];
const environment = url === undefined ? {} : { ENDCAP_URL: url, ENDCAP_KEY: key };
const vitest = spawn('vitest', ['run', '--config', 'test/deploy/vitest.config.ts', ...files], {
  env: { ...process.env, ...environment },
  stdio: 'inherit',
});
const [code] = await once(vitest, 'exit');
process.exitCode = code ?? 1;
