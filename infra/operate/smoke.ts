import { setAwsEnvironment, useProxyFor } from '../cli/environment.ts';
import { readArguments } from '../cli/read-arguments.ts';
import { runCli, writeLine } from '../cli/run-cli.ts';
import { Checklist } from './checklist.ts';
import { checkAccount, stackOf } from './smoke-account.ts';
import { checkRequests } from './smoke-requests.ts';

const USAGE = `usage: npm run smoke -- --url URL [--key KEY] [--table TABLE [--wait SECONDS] [--region REGION] [--profile PROFILE]]

Checks every route of a deployed stack, usually within two minutes, and prints a line per check: listings, errors, tokens, and a report of each experience with and without compression.
  --url URL          the stack's output Url
  --key KEY          a key of a user who has an account, preferably with delivery; default: ENDCAP_KEY, which
                     others on the machine and readers of a log cannot see
  --table TABLE      the stack's output TableName: also checks, with your AWS credentials, that a request's lines arrive in the
                     logs, that neither the functions' logs nor the access log contain the key,
                     and that no alarm is in the state ALARM
  --wait SECONDS     how long to wait for lines in a log; default: 90
  --region REGION    the region of the stack; default: AWS_REGION
  --profile PROFILE  the profile of the AWS credentials; default: AWS_PROFILE`;

await runCli(async () => {
  const text = { type: 'string' } as const;
  const options = { url: text, key: text, table: text, wait: text, region: text, profile: text } as const;
  const { values, positionals } = readArguments({ ...options, help: { type: 'boolean', short: 'h' } }, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  const { url, key = process.env.ENDCAP_KEY || undefined, table, wait = '90', region, profile } = values;
  if (positionals.length > 0) throw new Error(`smoke takes only options\n${USAGE}`);
  if (url === undefined) throw new Error(`--url is required\n${USAGE}`);
  if (key === undefined) throw new Error('the check needs an API key: use --key or ENDCAP_KEY');
  if (!URL.canParse(url)) throw new Error(`--url is ${url}; it must be a URL such as https://…/v2`);
  if (!/^\d+$/.test(wait)) throw new Error(`--wait is ${wait}; it must be an integer from 0`);
  if (table !== undefined) stackOf(table); // a wrong name is an error before the requests
  setAwsEnvironment({ region, profile });
  useProxyFor(url);
  const since = Date.now();
  const checks = new Checklist((line) => writeLine(process.stdout, line));
  const requestId = await checkRequests({ url: url.replace(/\/+$/, ''), key }, checks);
  if (table !== undefined) await checkAccount({ table, requestId, since, key, waitSeconds: Number(wait) }, checks);
  const { passedCount, failedNames } = checks;
  process.stdout.write(`${passedCount} of ${passedCount + failedNames.length} checks passed\n`);
  if (failedNames.length > 0) process.exitCode = 1;
});
