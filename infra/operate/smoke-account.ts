import { setTimeout as sleep } from 'node:timers/promises';
import { CloudWatchClient, paginateDescribeAlarms, type StateValue } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  type FilteredLogEvent,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { THROUGH_PROXY } from '../../shared/lib/sdk/proxy.ts';
import type { Checklist } from './checklist.ts';

const POLL_MS = 3_000;

interface AccountOptions {
  /** The stack's output TableName. */
  readonly table: string;
  /** The request whose lines must arrive in the logs; undefined if no report was served. */
  readonly requestId: string | undefined;
  /** When the checks began, in ms since 1970. */
  readonly since: number;
  /** The API key of the requests; the check fails if a log line contains it. */
  readonly key: string;
  /** How long to wait for a line: it can be found some seconds after it is written. */
  readonly waitSeconds: number;
}

/**
 * Checks what the stack writes into the account: logs and alarms. Uses the AWS credentials of the environment, and only reads.
 * @throws Error if `table` is not a name that CloudFormation has made
 */
export async function checkAccount(options: AccountOptions, checks: Checklist): Promise<void> {
  const stack = stackOf(options.table);
  await checkLogs(stack, options, checks);
  await checks.run('alarms', () => checkAlarms(`${stack}-`));
}

/** The CDK's logical ids end in a hash. Without it, stack `Endcap` would match log groups of stack `Endcap-Staging`. */
const LOGICAL_ID = '[A-Za-z]+[0-9A-F]{8}';

/** @returns the name of the stack: CloudFormation names a resource `STACK-LogicalId-RANDOM`. @throws Error if `table` is not such a name */
export function stackOf(table: string): string {
  const [, stack] = /^(.+)-Table[0-9A-F]{8}-\w+$/.exec(table) ?? [];
  if (stack === undefined) throw new Error(`--table is ${table}; it must be the stack’s output TableName`);
  return stack;
}

async function checkLogs(stack: string, options: AccountOptions, checks: Checklist): Promise<void> {
  const { requestId, since, key, waitSeconds } = options;
  const client = new CloudWatchLogsClient({ requestHandler: THROUGH_PROXY });
  // CloudFormation names a log group STACK-LogicalId-RANDOM, and MiniStack /aws/cloudformation/STACK/LogicalId
  const ofStack = new RegExp(`(^${stack}-|/${stack}/)${LOGICAL_ID}`);
  const groups = async (part: string): Promise<string[]> => {
    const names: string[] = [];
    for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePattern: stack })) {
      for (const { logGroupName: name = '' } of page.logGroups ?? []) {
        if (ofStack.test(name) && name.includes(part)) names.push(name);
      }
    }
    if (names.length === 0) throw new Error(`the stack ${stack} has no log group whose name contains “${part}”`);
    return names;
  };
  const find = async (group: string, filterPattern?: string): Promise<FilteredLogEvent[]> => {
    const events: FilteredLogEvent[] = [];
    const input = { logGroupName: group, startTime: since, ...(filterPattern && { filterPattern }) };
    for await (const page of paginateFilterLogEvents({ client }, input)) events.push(...(page.events ?? []));
    return events;
  };
  const arrives = async (part: string, hint = ''): Promise<string> => {
    if (requestId === undefined) throw new Error('no report was served, so there is no line to look for');
    const [group = ''] = await groups(part);
    const endsAt = Date.now() + waitSeconds * 1000;
    for (;;) {
      const [line] = await find(group, `"${requestId}"`);
      if (line !== undefined) return `the line of request ${requestId} is in ${group}`;
      if (Date.now() >= endsAt)
        throw new Error(`no line of request ${requestId} arrived in ${group} within ${waitSeconds} s${hint}`);
      await sleep(POLL_MS);
    }
  };
  await checks.run('log of submit-report', () =>
    arrives('SubmitReportLog', ' (with logLevel WARN or ERROR, requests that succeed are not logged)'),
  );
  await checks.run('access log', () => arrives('AccessLog'));
  await checks.run('neither the functions’ logs nor the access log contain the key', async () => {
    let lines = 0;
    for (const group of await groups('')) {
      for (const { message = '' } of await find(group)) {
        lines++;
        if (message.includes(key)) throw new Error(`a line of ${group} contains it`);
      }
    }
    return `${lines} lines since the checks began`;
  });
}

/**
 * @returns the number of alarms in each state
 * @throws Error naming the alarms in the state ALARM
 */
async function checkAlarms(prefix: string): Promise<string> {
  const ofStack = new RegExp(`^${prefix}${LOGICAL_ID}`);
  const states = new Map<StateValue | undefined, string[]>();
  const client = new CloudWatchClient({ requestHandler: THROUGH_PROXY });
  for await (const page of paginateDescribeAlarms({ client }, { AlarmNamePrefix: prefix })) {
    for (const { AlarmName = '', StateValue } of page.MetricAlarms ?? []) {
      if (!ofStack.test(AlarmName)) continue;
      states.set(StateValue, [...(states.get(StateValue) ?? []), AlarmName]);
    }
  }
  const alarming = states.get('ALARM') ?? [];
  if (alarming.length > 0) throw new Error(`in the state ALARM: ${alarming.join(', ')}`);
  if (states.size === 0) return 'the stack has none (see the setting alarmEmail)';
  return [...states].map(([state, names]) => `${names.length} ${state}`).join(', ');
}
