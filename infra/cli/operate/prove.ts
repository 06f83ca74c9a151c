import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROUTES } from '../../config/routes.ts';
import { setAwsEnvironment, useProxyFor } from '../environment.ts';
import { explainAwsError } from '../explain-aws-error.ts';
import { INTERRUPTED, onInterrupt } from '../interruptible.ts';
import { readArguments, runCli, writeLine } from '../run-cli.ts';
import { checkAlarms, checkCalls } from './check-account.ts';
import { requestRoutes } from './contract-requests.ts';
import { deleteStack, readStack } from './own-stack.ts';
import { announce, proveStack } from './prove-stack.ts';
import { onEmulator, Steps } from './steps.ts';
import { formatPage, type Page } from './write-page.ts';

const USAGE = `usage: npx endcap prove [-c SETTING=VALUE …] [--skip-idle] [--keep] [--page FILE] [--region REGION] [--profile PROFILE]
       ENDCAP_KEY=KEY npx endcap prove --stack NAME [--page FILE] [--region REGION] [--profile PROFILE]

The first form deploys a stack of its own, loads the demo network, sends requests, measures times, plays the runbooks, writes a page about what was
as expected and what was not, and deletes the stack, also after an error or Ctrl-C. The second form checks an existing stack and changes nothing:
a request to every route, the black-box tests, logs and alarms.
  -c SETTING=VALUE   a setting of the stack besides those in cdk.json
  --skip-idle        does not measure again after 15 idle minutes
  --keep             does not delete the stack
  --stack NAME       the stack to check, with the key of a user who has delivery in ENDCAP_KEY
  --page FILE        where the page is written; default: dist/STACK.md
  --region REGION    the region of the stack; default: AWS_REGION
  --profile PROFILE  the profile of the AWS credentials; default: AWS_PROFILE`;

await runCli(async () => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    setting: { type: 'string', short: 'c', multiple: true },
    ...{ 'skip-idle': flag, keep: flag, stack: text, page: text, region: text, profile: text },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`prove takes only options\n${USAGE}`);
  const { stack, region, profile, keep, setting = [], 'skip-idle': skipIdle } = values;
  setAwsEnvironment({ region, profile });
  const started = new Date().toISOString().slice(0, 16);
  const name = stack ?? `EndcapProve-${started.replaceAll(/\D/g, '')}`;
  const interrupted = new AbortController();
  const steps = new Steps(interrupted.signal);
  using _ = onInterrupt(() => {
    writeLine(process.stderr, 'interrupted: a stack of its own is deleted; a second Ctrl-C leaves it');
    interrupted.abort(new Error('interrupted'));
    process.exitCode = INTERRUPTED;
  });
  const proof = {
    tables: new Map(),
    settings: Object.fromEntries(setting.map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
  };
  try {
    if (stack !== undefined) await check(stack, steps);
    else {
      await announce(name);
      try {
        await proveStack({ name, proof, steps, signal: interrupted.signal, skipIdle });
      } catch (error) {
        await steps.runAlways('the steps that follow', 'they run', () => Promise.reject(explainAwsError(error)));
      } finally {
        if (!keep) await steps.runAlways('deletion', 'the stack and its data are deleted', () => deleteStack(name));
      }
    }
  } catch (error) {
    throw explainAwsError(error);
  }
  const facts = [
    `Began at ${started}Z, on ${onEmulator() ? 'an emulator' : 'AWS'}`,
    `Settings: ${JSON.stringify(proof.settings)}`,
    ...(interrupted.signal.aborted ? ['Interrupted'] : []),
  ];
  const page = { title: `The stack ${name}`, facts, results: steps.results, tables: proof.tables };
  finish(page, values.page ?? join('dist', `${name}.md`));
});

async function check(name: string, steps: Steps): Promise<void> {
  const key = process.env.ENDCAP_KEY;
  if (!key) throw new Error('the check needs an API key in ENDCAP_KEY');
  const since = Date.now();
  const stack = await readStack(name);
  const target = { url: stack.url, key };
  useProxyFor(stack.url);
  const expected = `each of ${ROUTES.length} sends the response of the contract`;
  const isServed = await steps.run('routes', expected, async () => `${(await requestRoutes(target, 1)).size} routes`);
  if (isServed) await checkCalls(steps, stack, target, since);
  await steps.run('alarms', 'none in the state ALARM', () => checkAlarms(stack));
}

function finish(page: Page, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, formatPage(page));
  const failed = page.results.filter(({ outcome }) => outcome === 'not as expected').map(({ name }) => name);
  writeLine(
    process.stdout,
    `${page.results.length} steps, not as expected: ${failed.join(', ') || 'none'}; see ${file}`,
  );
  if (failed.length > 0) process.exitCode ??= 1;
}
