import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { CfnInsightRule, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
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
  const add = (id: string, key: string, source: string, advice: string): AlarmRow => {
    const ruleName = `${Aws.STACK_NAME}-${id}`;
    const body = {
      Schema: { Name: 'CloudWatchLogRule', Version: 1 },
      LogGroupNames: logs.map(({ logGroupName }) => logGroupName),
      LogFormat: 'JSON',
      Contribution: { Keys: [key], Filters: [{ Match: '$.code', In: REJECTIONS }] },
      AggregateOn: 'Count',
    };
    new CfnInsightRule(scope, id, { ruleName, ruleState: 'ENABLED', ruleBody: Stack.of(scope).toJsonString(body) });
    return {
      id: `${id}Alarm`,
      severity: 'ticket',
      description: `More than ${BURST} requests ${source} were rejected with status 401 or 403 in five minutes: somebody may be trying keys or using a leaked one. ${advice}`,
      metric: new MathExpression({
        expression: `INSIGHT_RULE_METRIC("${ruleName}", "MaxContributorValue")`,
        period: Duration.minutes(5),
        label: `rejected requests ${source}`,
      }),
      threshold: BURST,
      datapoints: 1,
      periods: 1,
    };
  };
  const advice = 'The rule names the first characters of the key, and the log lines the addresses.';
  return [
    add(
      'RejectedAddresses',
      '$.sourceIp',
      'from one address',
      'The rule names the address; the firewall can block it.',
    ),
    add('RejectedKeys', '$.keyPrefix', 'with one key', advice),
  ];
}
