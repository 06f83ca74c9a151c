import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { reportOf } from '../../../shared/contract/report/contract-requests.ts';
import { THROUGH_PROXY } from '../../../shared/lib/sdk/proxy.ts';
import { isLocal } from '../environment.ts';
import { request, type Target } from './contract-requests.ts';
import { type DeployedStack, runCommand } from './own-stack.ts';
import { absent, NotShown, onEmulator, poll, type Steps } from './steps.ts';

/** A line can be found some seconds after it is written. */
export const LOG_SECONDS = 90;

/** @returns the messages of all log groups among the outputs, by group. @param startTime in ms since 1970 */
export async function readLogs(outputs: DeployedStack['outputs'], startTime: number): Promise<Map<string, string[]>> {
  // FilterLogEvents accepts about five requests a second
  const client = new CloudWatchLogsClient({ requestHandler: THROUGH_PROXY, maxAttempts: 10 });
  const messages = new Map<string, string[]>();
  for (const [name, logGroupName] of Object.entries(outputs)) {
    if (!name.endsWith('LogName')) continue;
    const ofGroup: string[] = [];
    messages.set(logGroupName, ofGroup);
    for await (const page of paginateFilterLogEvents({ client }, { logGroupName, startTime }))
      ofGroup.push(...(page.events ?? []).map(({ message = '' }) => message));
  }
  return messages;
}

/** Runs the black-box tests, and checks that the lines of a report arrive in the logs, and that no line since `since` contains the key. */
export async function checkCalls(
  steps: Steps,
  { url, outputs }: DeployedStack,
  target: Target,
  since: number,
  signal?: AbortSignal,
): Promise<void> {
  await steps.run('npm run test:deploy -- --url', 'all tests pass', async () => {
    const proxy = isLocal(url) ? {} : { NODE_USE_ENV_PROXY: '1' };
    const env = { ...process.env, ...proxy, ENDCAP_KEY: target.key, NO_COLOR: '1' };
    const printed = await runCommand(
      { env, ...(signal && { signal }) },
      'npm run --silent test:deploy --',
      '--url',
      url,
    );
    return /Tests .*/.exec(printed)?.[0] ?? 'passed';
  });
  let requestId = '';
  const findIn = async (output: string, seconds = LOG_SECONDS): Promise<string> => {
    const group = outputs[output] ?? '';
    const read = async () => (await readLogs({ [output]: group }, since)).get(group) ?? [];
    const isThere = async () => (await read()).some((line) => line.includes(requestId)) || undefined;
    if (await poll(seconds, isThere, signal)) return `request ${requestId} is in ${group}`;
    const what = `request ${requestId} did not arrive in ${group}`;
    throw (await read()).length === 0 ? absent(what) : new Error(what);
  };
  const isServed = await steps.run('function log', 'the line of a report (with logLevel INFO)', async () => {
    const { body } = await request(target, '/report/pla', reportOf([]));
    requestId = Object(body.meta).requestId;
    return findIn('SubmitReportLogName');
  });
  const inAccessLog = () => findIn('AccessLogName', onEmulator() ? 10 : LOG_SECONDS); // emulators write none
  if (isServed) await steps.run('access log', 'the line of the same request', inAccessLog);
  await steps.run('no key in the logs', 'no line of the functions and the gateway contains the key', async () => {
    const logs = await readLogs(outputs, since);
    const [leak] = [...logs].filter(([, lines]) => lines.some((line) => line.includes(target.key)));
    if (leak !== undefined) throw new Error(`a line of ${leak[0]} contains it`);
    return `${[...logs.values()].flat().length} lines`;
  });
}

/** @returns the number of alarms. @throws NotShown if the stack has none; Error naming those in the state ALARM */
export async function checkAlarms({ alarms }: DeployedStack): Promise<string> {
  if (alarms.length === 0) throw new NotShown('the stack has none (see the setting alarms)');
  const client = new CloudWatchClient({ requestHandler: THROUGH_PROXY });
  const { MetricAlarms = [] } = await client.send(
    new DescribeAlarmsCommand({ AlarmNames: [...alarms], MaxRecords: 100 }),
  );
  const alarming = MetricAlarms.filter(({ StateValue }) => StateValue === 'ALARM').map(({ AlarmName }) => AlarmName);
  if (alarming.length > 0) throw new Error(`in the state ALARM: ${alarming.join(', ')}`);
  return `${MetricAlarms.length} alarms`;
}
