import { beforeAll, describe, expect, test } from 'vitest';
import { PAGES, ROUTES } from '../../../infra/config/routes.ts';
import { ALARMS } from '../../../infra/operate/costs.ts';
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

let template: Template;
let always: Template;
let complete: Template;
beforeAll(() => {
  template = synthesizeDefault();
  always = synthesizeWith({ alarms: 'always' });
  complete = synthesizeWith(EVERY_SETTING);
});

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
const ERRORS = names.flatMap((name) => [`${name}FailsAlarm`, `${name}ErrorsAlarm`]);
const operations = ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem', 'BatchWriteItem'];

describe('alarms exist', () => {
  test('only if somebody is notified, because they are billed; the estimate of costs has their number', () => {
    expect(alarmsOf(template).size).toBe(0);
    expect(alarmsOf(synthesizeWith({ alarmEmail: 'ops@example.com' })).size).toBe(ALARMS);
  });

  test('without an e-mail address if the setting alarms is always, for other tools', () => {
    // server errors, four of each function, the table's throttles and operations, rejected requests, and the ingestion's
    expect(alarmsOf(always).size).toBe(1 + 4 * names.length + 2 + operations.length + 2 + 4);
    expect(resourcesOf(always, 'AWS::SNS::Topic').size).toBe(0);
  });

  test('for the errors of each route and the pages, and no others, if deployments are canaries and nobody is notified', () => {
    expect([...alarmsOf(synthesizeWith({ deployment: 'canary' })).keys()].sort()).toEqual([...ERRORS].sort());
  });

  test('for a rejected folder unless the setting switches it off', () => {
    const off = synthesizeWith({ alarms: 'always', rejectedFolderAlarm: false });
    const missing = [...alarmsOf(always).keys()].filter((id) => !alarmsOf(off).has(id));
    expect(missing).toEqual(['IngestionRejectedAlarm']);
  });
});

describe('alarms', () => {
  test.each([
    ['ServerErrorsAlarm', '5XXError', 0.01, 3, 5],
    ...names.flatMap((name) => [
      [`${name}FailsAlarm`, 'Errors', 0, 1, 5] as const,
      [`${name}ErrorsAlarm`, 'internalErrors', 0, 1, 5] as const,
      [`${name}ThrottledAlarm`, 'Throttles', 0, 2, 3] as const,
      [`${name}SlowAlarm`, 'Duration', name === 'SubmitReport' ? 15_000 : 1_000, 3, 5] as const, // ms
    ]),
    ['TableReadsThrottledAlarm', 'ReadThrottleEvents', 0, 2, 3],
    ['TableWritesThrottledAlarm', 'WriteThrottleEvents', 0, 2, 3],
    ...operations.map((operation) => [`Table${operation}FailsAlarm`, 'SystemErrors', 0, 2, 3] as const),
    ['IngestionAbandonedAlarm', 'foldersAbandoned', 0, 1, 1],
    ['IngestionRejectedAlarm', 'foldersRejected', 0, 1, 1],
  ] as const)(
    '%s enters the ALARM state if %s is above %d in %d of %d periods, and describes the problem',
    (name, metric, threshold, datapoints, periods) => {
      expect(alarmsOf(always).get(name)).toMatchObject({
        MetricName: metric,
        Threshold: threshold,
        ComparisonOperator: 'GreaterThanThreshold',
        DatapointsToAlarm: datapoints,
        EvaluationPeriods: periods,
        TreatMissingData: 'notBreaching',
        AlarmDescription: expect.stringMatching(/^[A-Z].{40,}\.$/),
      });
    },
  );

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

  test('measure slowness by the 99th percentile', () => {
    const slow = names.map((name) => alarmsOf(always).get(`${name}SlowAlarm`)?.ExtendedStatistic);
    expect(slow).toEqual(names.map(() => 'p99'));
  });

  test('of slow functions state the time limit of the function', () => {
    const limits = [...ROUTES, PAGES].map(({ timeout }) => `time limit of ${timeout} s `);
    const described = names.map((name) => String(alarmsOf(always).get(`${name}SlowAlarm`)?.AlarmDescription));
    for (const [i, limit] of limits.entries()) expect(described[i]).toContain(limit);
    expect(new Set(limits).size).toBe(2);
  });

  test('measure functions, not aliases, so that the figures continue over deployments', () => {
    const dimensions = names.map((name) => shorten(alarmsOf(always).get(`${name}FailsAlarm`)?.Dimensions));
    expect(dimensions).toEqual(names.map((name) => [{ Name: 'FunctionName', Value: name }]));
  });

  test('enter the ALARM state for each arrival in the dead-letter queue, although earlier messages stay in it for two weeks', () => {
    expect(shorten(alarmsOf(always).get('IngestionFailuresAlarm'))).toEqual({
      AlarmDescription: expect.stringMatching(
        /^A folder .* in five attempts\..* unless the function crashed, in _REPORT\.json /,
      ),
      ComparisonOperator: 'GreaterThanThreshold',
      DatapointsToAlarm: 1,
      EvaluationPeriods: 3,
      Threshold: 0,
      TreatMissingData: 'notBreaching',
      Metrics: [
        { Expression: 'DIFF(FILL(messages, 0))', Id: 'expr_1', Label: 'arrived messages', ReturnData: true },
        {
          Id: 'messages',
          MetricStat: {
            Metric: {
              Dimensions: [{ Name: 'QueueName', Value: 'IngestionFailures.QueueName' }],
              MetricName: 'ApproximateNumberOfMessagesVisible',
              Namespace: 'AWS/SQS',
            },
            Period: 300,
            Stat: 'Maximum',
          },
          ReturnData: false,
        },
      ],
    });
  });

  test.each([
    ['Pla', 36],
    ['Carousel', 48],
  ])(
    'enter the ALARM state if the latest delivery day of %s ended %d hours ago, or if its age is not known',
    (name, hours) => {
      const experience = name.toLowerCase();
      expect(shorten(alarmsOf(complete).get(`FreshnessStale${name}Alarm`))).toMatchObject({
        Namespace: 'Endcap',
        MetricName: 'hoursSinceDelivery',
        Dimensions: [
          { Name: 'experience', Value: experience },
          { Name: 'functionName', Value: 'FreshnessMeasureFreshness' },
        ],
        Statistic: 'Minimum',
        Period: 3600,
        Threshold: hours,
        DatapointsToAlarm: 2,
        EvaluationPeriods: 2,
        TreatMissingData: 'breaching',
      });
    },
  );

  test('notify the address in the settings when they enter the ALARM state and when they leave it', () => {
    const subscription = single(complete, 'AWS::SNS::Subscription').Properties;
    expect(subscription).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
    expect(alarmsOf(complete).size).toBe(alarmsOf(always).size + 2); // of stale data
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
