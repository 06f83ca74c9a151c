import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES, ROUTES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
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
} from './support/synthesized.ts';

const template = synthesizeDefault();
const always = synthesizeWith({ alarms: 'always' });
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

const names = [...ROUTES, PAGES].map((route) => pascalCase(route.function));

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
  test('only if somebody is notified, because they are billed', () => {
    expect(alarmsOf(template).size).toBe(0);
    expect([...alarmsOf(synthesizeWith({ alarmEmail: 'ops@example.com' })).keys()]).toEqual([
      ...alarmsOf(always).keys(),
    ]);
  });

  test('without an e-mail address if the setting alarms is always, for other tools', () => {
    expect(alarmsOf(always).size).toBeGreaterThan(10);
    expect(resourcesOf(always, 'AWS::SNS::Topic').size).toBe(0);
  });

  test('on errors only, if deployments are canaries and nobody is notified', () => {
    const ids = [...alarmsOf(synthesizeWith({ deployment: 'canary' })).keys()];
    expect(ids.map((id) => id.replace(/\d/, ''))).toEqual(ids.map(() => 'ErrorsAlarm'));
    expect(ids).toContain('Errors1Alarm');
  });

  test('at most fifteen with all settings, of at most ten metrics each, as CloudWatch demands', () => {
    const alarms = [...alarmsOf(complete).values()];
    expect(alarms.length).toBeLessThanOrEqual(15);
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
    expect(page).toContain(`| alarms, with \`alarmEmail\` or \`alarms: always\` | ${price.toFixed(2)} |`);
  });
});

describe('alarms', () => {
  test.each([
    ['ServerErrorsAlarm', 0.01, 3, 5],
    ['Errors1Alarm', 0, 1, 5],
    ['Throttled1Alarm', 0, 2, 3],
    ['Slow1Alarm', 1_000, 3, 5], // ms
    ['SlowReports1Alarm', 15_000, 3, 5],
    ['TableThrottledAlarm', 0, 2, 3],
    ['IngestionFoldersAlarm', 0, 1, 3],
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
    expect(measuredBy('SlowReports')).toEqual(['SubmitReport Duration p99']);
    const others = names.filter((name) => name !== 'SubmitReport');
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
      TableThrottled: 'SUM(FILL(METRICS(), 0))',
      IngestionFolders:
        'MAX([DIFF(FILL(queue0, 0)), DIFF(FILL(queue1, 0)), FILL(foldersAbandoned, 0), FILL(foldersRejected, 0)])',
    });
    expect(JSON.stringify(alarmsOf(always).get('Errors1Alarm'))).toContain('"Period":60');
  });

  test('ignore rejected folders if the setting says so', () => {
    const off = alarmsOf(synthesizeWith({ alarms: 'always', rejectedFolderAlarm: false }));
    expect(JSON.stringify(off.get('IngestionFoldersAlarm'))).not.toContain('foldersRejected');
  });

  test('enter the ALARM state for bursts of 401 and 403 from one address or with one key', () => {
    const rules = [...resourcesOf(always, 'AWS::CloudWatch::InsightRule').values()].map(({ Properties }) => Properties);
    expect(resourcesOf(template, 'AWS::CloudWatch::InsightRule').size).toBe(0);
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

  test('on stale data enter the ALARM state if an experience of the setting is too old, or if its age is not known', () => {
    const { Metrics, ...alarm } = Object(alarmsOf(complete).get('FreshnessStaleAlarm'));
    expect(alarm).toMatchObject({
      Threshold: 0,
      DatapointsToAlarm: 2,
      EvaluationPeriods: 2,
      TreatMissingData: 'breaching',
    });
    expect(shorten(Metrics)).toMatchObject([
      { Expression: 'FILL(pla, 10000) > 36 OR FILL(carousel, 10000) > 48' },
      ...['pla', 'carousel'].map((experience) => ({
        Id: experience,
        MetricStat: {
          Metric: {
            Namespace: 'Endcap',
            MetricName: 'hoursSinceDelivery',
            Dimensions: [
              { Name: 'experience', Value: experience },
              { Name: 'functionName', Value: 'FreshnessMeasureFreshness' },
            ],
          },
          Stat: 'Minimum',
          Period: 3600,
        },
      })),
    ]);
  });

  test('notify the address in the settings when they enter the ALARM state and when they leave it', () => {
    const subscription = single(complete, 'AWS::SNS::Subscription').Properties;
    expect(subscription).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
    expect(alarmsOf(complete).size).toBe(alarmsOf(always).size + 1); // on stale data
    for (const { AlarmActions, OKActions } of alarmsOf(complete).values()) {
      expect(shorten([AlarmActions, OKActions])).toEqual([['AlarmTopic'], ['AlarmTopic']]);
    }
  });
});

test('the age of the data is measured every half hour, by a function that may read only the commit and the summary of the platform’s facts', () => {
  const rules = [...resourcesOf(complete, 'AWS::Events::Rule')].filter(([id]) => id.startsWith('Freshness'));
  expect(rules.map(([, { Properties }]) => shorten(Properties))).toMatchObject([
    {
      ScheduleExpression: 'rate(30 minutes)',
      State: 'ENABLED',
      Targets: [{ Arn: 'FreshnessMeasureFreshnessAliaslive' }],
    },
  ]);
  const policies = [...resourcesOf(complete, 'AWS::IAM::Policy')].filter(([id]) => id.startsWith('Freshness'));
  const [statement] = policies.flatMap(([, { Properties }]) =>
    Object(Properties.PolicyDocument).Statement.filter(({ Action }: { Action: unknown }) =>
      JSON.stringify(Action).includes('dynamodb:'),
    ),
  );
  expect(statement.Action).toEqual(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query']);
  expect(statement.Condition['ForAllValues:StringLike']).toEqual({
    'dynamodb:LeadingKeys': ['COMMIT', 'FACTS#0', 'FACTS#0#HEAD'],
  });
  expect([...resourcesOf(template, 'AWS::Events::Rule').keys()].filter((id) => id.startsWith('Freshness'))).toEqual([]);
});

test('the topic accepts alarms of this account from CloudWatch, and nothing without TLS', () => {
  expect(shorten(single(complete, 'AWS::SNS::TopicPolicy').Properties)).toEqual({
    Topics: ['AlarmTopic'],
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'AllowPublishThroughSSLOnly',
          Effect: 'Deny',
          Principal: '*',
          Action: 'sns:Publish',
          Resource: 'AlarmTopic',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
        {
          Sid: 'AlarmsOfTheAccount',
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource: 'AlarmTopic',
          Condition: { StringEquals: { 'aws:SourceAccount': 'AWS::AccountId' } },
        },
      ],
    },
  });
});
