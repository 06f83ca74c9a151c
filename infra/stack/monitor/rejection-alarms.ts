import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { CfnInsightRule, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { PROBLEMS } from '../../../shared/lib/errors.ts';
import type { AlarmRow } from './add-alarm.ts';
import type { MonitoredResources } from './monitored-resources.ts';

/** Requests with status 401 or 403 from one address, or with one key, within five minutes: one per second. */
const BURST = 300;

const REJECTIONS = Object.entries(PROBLEMS).flatMap(([code, { status }]) =>
  status === 401 || status === 403 ? [code] : [],
);

/**
 * Adds rules of CloudWatch's Contributor Insights, which count the rejected requests of each address and of each key (by its first characters).
 * @returns the alarms on the largest counts, for guessed and leaked keys; the page of the rule in CloudWatch names the address or key
 */
export function rejectionAlarms(scope: Construct, { functions }: MonitoredResources): AlarmRow[] {
  const logs = [...functions.values()].map(({ logGroup }) => logGroup); // CloudWatch allows 20 in a rule
  // not the access log: API Gateway writes the user agent into its lines, and a quotation mark in it could make a line unreadable
  const byAddress = addRule(scope, 'RejectedAddresses', logs, '$.sourceIp');
  const byKey = addRule(scope, 'RejectedKeys', logs, '$.keyPrefix');
  return [
    alarmOn(byAddress, 'from one address', 'The rule names the address; the firewall can block it.'),
    alarmOn(byKey, 'with one key', 'The rule names the first characters of the key, and the log lines the addresses.'),
  ];
}

interface Rule {
  readonly id: string;
  readonly name: string;
}

function addRule(scope: Construct, id: string, logGroups: readonly ILogGroup[], key: string): Rule {
  const name = `${Aws.STACK_NAME}-${id}`;
  const body = {
    Schema: { Name: 'CloudWatchLogRule', Version: 1 },
    LogGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    LogFormat: 'JSON',
    Contribution: { Keys: [key], Filters: [{ Match: '$.code', In: REJECTIONS }] },
    AggregateOn: 'Count',
  };
  new CfnInsightRule(scope, id, { ruleName: name, ruleState: 'ENABLED', ruleBody: Stack.of(scope).toJsonString(body) });
  return { id, name };
}

function alarmOn({ id, name }: Rule, source: string, advice: string): AlarmRow {
  return {
    id: `${id}Alarm`,
    severity: 'ticket',
    description: `More than ${BURST} requests ${source} were rejected with status 401 or 403 in five minutes: somebody may be trying keys or using a leaked one. ${advice}`,
    metric: new MathExpression({
      expression: `INSIGHT_RULE_METRIC("${name}", "MaxContributorValue")`,
      period: Duration.minutes(5),
      label: `rejected requests ${source}`,
    }),
    threshold: BURST,
    datapoints: 1,
    periods: 1,
  };
}
