import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { MAX_SECONDS } from '../../../shared/report/reject-too-expensive.ts';
import { readSource } from '../../rules/source-files.ts';
import {
  EVERY_SETTING,
  type Resource,
  resourcesOf,
  shorten,
  single,
  synthesizeDefault,
  synthesizeWith,
  type Template,
  withoutHash,
} from './synthesized.ts';

const without = synthesizeWith({ alarms: false });
const always = synthesizeDefault();
const complete = synthesizeWith(EVERY_SETTING);

const alarmsOf = (of: Template): Map<string, Resource['Properties']> =>
  new Map(
    [...resourcesOf(of, 'AWS::CloudWatch::Alarm')].map(
      ([id, { Properties }]) => [withoutHash(id), Properties] as const,
    ),
  );

const RULE = { Schema: { Name: 'CloudWatchLogRule', Version: 1 }, LogFormat: 'JSON', AggregateOn: 'Count' };

/** @returns the text that CloudFormation makes, with references shortened */
const joined = (value: unknown) => String(shorten(value));

const names = [...FUNCTION_ROUTES, PAGES].map((route) => pascalCase(route.function));

interface Part {
  readonly Expression?: string;
  readonly MetricStat?: {
    Metric: { MetricName: string; Dimensions: { Name: string; Value: unknown }[] };
    Stat: string;
  };
}

/** @returns the alarm's metrics, one or those of its expression */
function metricsOf(alarm: Resource['Properties'] | undefined): Part[] {
  return (Array.isArray(alarm?.Metrics) ? alarm.Metrics : []).filter(
    ({ MetricStat }: Part) => MetricStat !== undefined,
  );
}

/** @returns what the parts of an alarm measure together, such as `ListAccounts Errors Sum` */
function measuredBy(id: string): string[] {
  const parts = [...alarmsOf(always)].filter(([name]) => new RegExp(`^${id}\\d+Alarm$`).test(name));
  return parts.flatMap(([, alarm]) =>
    metricsOf(alarm).map(({ MetricStat }) => {
      const { Metric, Stat } = MetricStat ?? Object(undefined);
      return `${String(shorten(Metric.Dimensions[0].Value))} ${Metric.MetricName} ${Stat}`;
    }),
  );
}

describe('alarms exist', () => {
  test('unless the setting alarms is false', () => {
    expect(alarmsOf(without).size).toBe(0);
    expect([...alarmsOf(synthesizeWith({ alarms: { email: 'ops@example.com' } })).keys()]).toEqual([
      ...alarmsOf(always).keys(),
    ]);
  });

  test('without an e-mail address if the setting alarms has none, for other tools', () => {
    expect(alarmsOf(always).size).toBeGreaterThan(10);
    expect(resourcesOf(always, 'AWS::SNS::Topic').size).toBe(0);
    const withoutFirewall = alarmsOf(synthesizeWith({ waf: 'off' }));
    const missing = [...alarmsOf(always).keys()].filter((id) => !withoutFirewall.has(id));
    expect(missing).toEqual(['BlockedRequestsAlarm', 'FloodAlarm']);
  });

  test('on errors only, if deployments are canaries and the setting alarms is false', () => {
    const ids = [...alarmsOf(synthesizeWith({ deployment: 'canary', alarms: false })).keys()];
    expect(ids.map((id) => id.replace(/\d/, ''))).toEqual(ids.map(() => 'ErrorsAlarm'));
    expect(ids).toContain('Errors1Alarm');
  });

  test('at most twenty with all settings, of at most ten metrics each, as CloudWatch demands', () => {
    const alarms = [...alarmsOf(complete).values()];
    expect(alarms.length).toBeLessThanOrEqual(20);
    for (const alarm of alarms) {
      expect(metricsOf(alarm).length).toBeLessThanOrEqual(10);
      expect(JSON.stringify(alarm)).not.toContain('SEARCH(');
    }
  });

  test('at the price that infra/README.md states', () => {
    const metrics = [...alarmsOf(always).values()].map((alarm) => Math.max(1, metricsOf(alarm).length));
    const rules = resourcesOf(always, 'AWS::CloudWatch::InsightRule').size;
    const price = metrics.reduce((sum, count) => sum + count, 0) * 0.1 + rules * 0.5; // USD per month
    const page = readFileSync(join(import.meta.dirname, '../../../infra/README.md'), 'utf8');
    expect(page).toContain(`| alarms; \`alarms\` \`false\` saves them | ${price.toFixed(2)} |`);
  });
});

describe('alarms', () => {
  test.each([
    ['ServerErrorsAlarm', 0.01, 3, 5],
    ['Errors1Alarm', 0, 1, 5],
    ['Throttled1Alarm', 0, 2, 3],
    ['Slow1Alarm', 1_000, 3, 5], // ms
    ['SlowReports1Alarm', 20_000, 3, 5],
    ['TableThrottledAlarm', 0, 2, 3],
    ['IngestionFoldersAlarm', 0, 1, 3],
    ['IngestionWaitingAlarm', 7_200, 1, 1], // s
    ['GatewayThrottledAlarm', 0, 2, 3],
    ['BlockedRequestsAlarm', 1_000, 1, 1],
    ['FloodAlarm', 480_000, 2, 3], // 80 % of 2,000 per second
  ])(
    '%s enters the ALARM state above %d in %d of %d periods, and describes the problem',
    (name, threshold, datapoints, periods) => {
      expect(alarmsOf(always).get(name)).toMatchObject({
        Threshold: threshold,
        ComparisonOperator: 'GreaterThanThreshold',
        DatapointsToAlarm: datapoints,
        EvaluationPeriods: periods,
        TreatMissingData: 'notBreaching',
        AlarmDescription: expect.stringMatching(/^[A-Z].{40,}\.$/),
      });
    },
  );

  test('watch every function, not its alias, so that the figures continue over deployments', () => {
    expect(measuredBy('Errors')).toEqual(names.flatMap((name) => [`${name} Errors Sum`, `${name} internalErrors Sum`]));
    expect(measuredBy('Throttled')).toEqual(names.map((name) => `${name} Throttles Sum`));
    expect(measuredBy('SlowReports')).toEqual(['SubmitReport Duration p99', 'ServeMcp Duration p99']);
    const others = names.filter((name) => !['SubmitReport', 'ServeMcp'].includes(name));
    expect(measuredBy('Slow')).toEqual(others.map((name) => `${name} Duration p99`));
  });

  test('have one expression over their metrics, evaluated every minute for errors, because a canary deployment takes five', () => {
    const expressions = [...alarmsOf(always)].flatMap(([id, { Metrics }]) =>
      (Array.isArray(Metrics) ? Metrics : []).flatMap(({ Expression }: Part) =>
        Expression === undefined || id.startsWith('Rejected') ? [] : [[id.replace(/\d?Alarm$/, ''), Expression]],
      ),
    );
    expect(Object.fromEntries(expressions)).toEqual({
      Errors: 'SUM(FILL(METRICS(), 0))',
      Throttled: 'SUM(FILL(METRICS(), 0))',
      Slow: 'MAX(METRICS())',
      SlowReports: 'MAX(METRICS())',
      IngestionFolders:
        'MAX([DIFF(FILL(queue0, 0)), DIFF(FILL(queue1, 0)), FILL(foldersAbandoned, 0), FILL(foldersRejected, 0)])',
    });
    expect(JSON.stringify(alarmsOf(always).get('Errors1Alarm'))).toContain('"Period":60');
  });

  test('enter the ALARM state for bursts of 401 and 403 from one address or with one key', () => {
    const rules = [...resourcesOf(always, 'AWS::CloudWatch::InsightRule').values()].map(({ Properties }) => Properties);
    expect(resourcesOf(without, 'AWS::CloudWatch::InsightRule').size).toBe(0);
    expect(rules.map(({ RuleBody }) => JSON.parse(joined(RuleBody)))).toEqual(
      ['$.sourceIp', '$.keyPrefix'].map((member) => ({
        ...RULE,
        LogGroupNames: names.map((name) => `${name}Log`),
        Contribution: {
          Keys: [member],
          Filters: [{ Match: '$.code', In: expect.arrayContaining(['KEY_INVALID', 'ADDRESS_FORBIDDEN']) }],
        },
      })),
    );
    for (const [i, id] of ['RejectedAddresses', 'RejectedKeys'].entries()) {
      expect(joined(rules[i]?.RuleName)).toBe(`AWS::StackName-${id}`);
      const { Threshold, Metrics } = Object(shorten(alarmsOf(always).get(`${id}Alarm`)));
      expect([Threshold, joined(Metrics[0].Expression)]).toEqual([
        300,
        `INSIGHT_RULE_METRIC("AWS::StackName-${id}", "MaxContributorValue")`,
      ]);
    }
  });

  test('on folders enter the ALARM state for arrivals in a dead-letter queue, although earlier messages stay in it for two weeks', () => {
    const metrics = metricsOf(alarmsOf(always).get('IngestionFoldersAlarm')).map(({ MetricStat }) =>
      shorten(MetricStat),
    );
    expect(metrics.slice(0, 2)).toEqual(
      ['IngestionFailures', 'IngestionUndelivered'].map((queue) => ({
        Metric: {
          Dimensions: [{ Name: 'QueueName', Value: `${queue}.QueueName` }],
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Namespace: 'AWS/SQS',
        },
        Period: 300,
        Stat: 'Maximum',
      })),
    );
  });

  test('on a flood follow the setting throttle', () => {
    const alarm = alarmsOf(synthesizeWith({ throttle: { rate: 100, burst: 10 } })).get('FloodAlarm');
    expect(alarm?.Threshold).toBe(24_000);
  });

  test('on the table ignore throttled writes, by which loads pace themselves', () => {
    expect(alarmsOf(always).get('TableThrottledAlarm')?.MetricName).toBe('ReadThrottleEvents');
    expect(JSON.stringify([...alarmsOf(always)])).not.toContain('WriteThrottleEvents');
  });

  test('on the scheduled requests enter the ALARM state also if none is sent, and exist unless the setting probe is false', () => {
    expect(shorten(alarmsOf(always).get('ProbeAlarm'))).toMatchObject({
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: 'CheckCheckService' }],
      ...{ Threshold: 0, Period: 300, DatapointsToAlarm: 2, EvaluationPeriods: 3, TreatMissingData: 'breaching' },
    });
    const withoutProbe = synthesizeWith({ probe: false });
    expect([...alarmsOf(always).keys()].filter((id) => !alarmsOf(withoutProbe).has(id))).toEqual(['ProbeAlarm']);
    expect(
      [...resourcesOf(withoutProbe, 'AWS::Lambda::Function').keys()].filter((id) => id.startsWith('Check')),
    ).toEqual([]);
  });

  test('on slow reports ignore reports that take as long as the service accepts', () => {
    const { Threshold } = Object(alarmsOf(always).get('SlowReports1Alarm'));
    expect(Threshold).toBeGreaterThan(MAX_SECONDS * 1_000);
  });

  test('count API Gateway’s own 429 in the access log, also in lines that are no JSON because of a quotation mark in the user agent', () => {
    const filter = single(always, 'AWS::Logs::MetricFilter').Properties;
    const metricName = 'AWS::StackName-gatewayThrottled';
    expect(shorten(filter)).toEqual({
      FilterPattern: '%.gatewayResponse.:.THROTTLED.%',
      LogGroupName: 'AccessLog',
      MetricTransformations: [{ MetricNamespace: 'Endcap', MetricName: metricName, MetricValue: '1' }],
    });
    const { Namespace, MetricName, Statistic } = Object(shorten(alarmsOf(always).get('GatewayThrottledAlarm')));
    expect([Namespace, MetricName, Statistic]).toEqual(['Endcap', metricName, 'Sum']);
    const { Format } = Object(single(always, 'AWS::ApiGateway::Stage').Properties.AccessLogSetting);
    const line = Format.replace('$context.error.responseType', 'THROTTLED').replace('$context.identity.userAgent', '"');
    expect(line).toMatch(new RegExp(String(filter.FilterPattern).slice(1, -1)));
    expect(resourcesOf(without, 'AWS::Logs::MetricFilter').size).toBe(0);
  });

  test('notify the topic of their severity, which infra/README.md states', () => {
    const { email: _, ...topics } = EVERY_SETTING.alarms;
    const severities = [...alarmsOf(synthesizeWith({ ...EVERY_SETTING, alarms: topics }))].map(([id, alarm]) => {
      expect(alarm.OKActions).toEqual(alarm.AlarmActions);
      const { page, ticket } = topics;
      const severity = new Map([
        [page, 'page'],
        [ticket, 'ticket'],
      ]).get(String(alarm.AlarmActions));
      return `\`${id.replace(/^(Ingestion|Freshness)/, '').replace(/\dAlarm$/, '…Alarm')}\` ${severity}`;
    });
    const rows = [...readSource('infra/README.md').matchAll(/^\| ((?:`\w+…?Alarm`[^|`]*)+) \| (page|ticket) \|/gm)];
    const documented = rows.flatMap(([, ids = '', severity]) =>
      (ids.match(/`\S+`/g) ?? []).map((id) => `${id} ${severity}`),
    );
    expect(documented.sort()).toEqual([...new Set(severities)].sort());
  });

  test('notify one topic only, if the settings have only one', () => {
    const { page } = EVERY_SETTING.alarms;
    const one = alarmsOf(synthesizeWith({ alarms: { page } }));
    expect([...one.keys()]).toEqual([...alarmsOf(always).keys()]);
    expect(one.get('ServerErrorsAlarm')?.AlarmActions).toEqual([page]);
    expect(one.get('TableThrottledAlarm')?.AlarmActions).toBeUndefined();
  });

  test('notify the address in the settings when they enter the ALARM state and when they leave it', () => {
    expect(alarmsOf(complete).size).toBe(alarmsOf(always).size + 1); // on stale data
    for (const { AlarmActions, OKActions } of alarmsOf(complete).values()) {
      expect(shorten([AlarmActions, OKActions])).toEqual(Array(2).fill(expect.arrayContaining(['AlarmTopic'])));
    }
  });
});

test('the function that measures the age of the data may read only the commit and the summary of the platform’s facts', () => {
  const policies = [...resourcesOf(complete, 'AWS::IAM::Policy')].filter(([id]) => id.startsWith('Freshness'));
  const [statement] = policies.flatMap(([, { Properties }]) =>
    Object(Properties.PolicyDocument).Statement.filter(({ Action }: { Action: unknown }) =>
      JSON.stringify(Action).includes('dynamodb:'),
    ),
  );
  expect(statement.Action).toEqual(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query']);
  expect(statement.Condition['ForAllValues:StringLike']).toEqual({
    'dynamodb:LeadingKeys': ['COMMIT', 'FACTS#0', 'FACTS#0#head'],
  });
  expect([...resourcesOf(always, 'AWS::Events::Rule').keys()].filter((id) => id.startsWith('Freshness'))).toEqual([]);
});
