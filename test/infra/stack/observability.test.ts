import { beforeAll, describe, expect, test } from 'vitest';
import { readResources } from '../../../infra/emulator/template/template-schema.ts';
import { ROUTES } from '../../../infra/routes.ts';
import {
  EVERY_SETTING,
  pascalCase,
  readSynthesized,
  resourcesOf,
  shorten,
  single,
  synthesizeWith,
  type Template,
} from './synthesized.ts';

let template: Template;
let complete: Template;
beforeAll(async () => {
  ({ template } = await readSynthesized());
  complete = synthesizeWith(EVERY_SETTING);
});

const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

describe('alarms', () => {
  const alarmOf = (name: string) =>
    [...resourcesOf(template, 'AWS::CloudWatch::Alarm')].find(([id]) => withoutHash(id) === name)?.[1].Properties;
  const names = ROUTES.map((route) => pascalCase(route.function));
  const operations = ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem', 'BatchWriteItem'];

  test.each([
    ['ServerErrorsAlarm', '5XXError', 0.01, [3, 5]],
    ...names.flatMap((name) => [
      [`${name}FailsAlarm`, 'Errors', 0, [1, 1]] as const,
      [`${name}ThrottledAlarm`, 'Throttles', 0, [2, 3]] as const,
      [`${name}SlowAlarm`, 'Duration', name === 'SubmitReport' ? 15_000 : 1_000, [3, 5]] as const,
    ]),
    ['TableReadsThrottledAlarm', 'ReadThrottleEvents', 0, [2, 3]],
    ['TableWritesThrottledAlarm', 'WriteThrottleEvents', 0, [2, 3]],
    ...operations.map((operation) => [`Table${operation}FailsAlarm`, 'SystemErrors', 0, [2, 3]] as const),
  ] as const)(
    '%s goes off if %s is above %d in %j periods, and describes the problem',
    (name, metric, threshold, [datapoints, periods]) => {
      expect(alarmOf(name)).toMatchObject({
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

  test('measure slowness by the 99th percentile', () => {
    expect(names.map((name) => alarmOf(`${name}SlowAlarm`)?.ExtendedStatistic)).toEqual(names.map(() => 'p99'));
  });

  test('notify the address in the settings, if there is one, when they go off and when they are over', () => {
    expect(resourcesOf(template, 'AWS::SNS::Topic').size).toBe(0);
    const subscription = single(complete, 'AWS::SNS::Subscription').Properties;
    expect(subscription).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
    const alarms = [...resourcesOf(complete, 'AWS::CloudWatch::Alarm').values()];
    expect(alarms).toHaveLength(1 + 3 * ROUTES.length + 2 + operations.length + 2); // the last two are the ingestion's
    for (const { Properties } of alarms) {
      expect(shorten([Properties.AlarmActions, Properties.OKActions])).toEqual([['AlarmTopic'], ['AlarmTopic']]);
    }
  });
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

test('the dashboard shows traffic, latency, work and health of every route', () => {
  const body = String(shorten(single(template, 'AWS::CloudWatch::Dashboard').Properties.DashboardBody));
  const { widgets } = JSON.parse(body) as { widgets: { properties: { title?: string; markdown?: string } }[] };
  expect(widgets.flatMap(({ properties: { title } }) => title ?? [])).toEqual([
    'Requests',
    'Error responses',
    'Requests by route',
    'At the gateway (ms)',
    'Functions, p50 (ms)',
    'Functions, p99 (ms)',
    'Rows scanned by reports',
    'Rows scanned per report',
    'Read units per request',
    'Read units by route',
    'Read and write units of the table',
    'Function errors: crash, timeout, out of memory',
    'Throttled: no instance available',
    'Throttled by the table',
    'Slowest routes in the access log',
  ]);
  for (const { function: name } of ROUTES) expect(body.split(`"label":"${name}"`)).toHaveLength(8);
  for (const metric of ['readUnits', 'rowsScanned']) expect(body).toContain(`["Endcap","${metric}","functionName",`);
});

describe('the firewall', () => {
  test('exists unless the setting waf is off', () => {
    expect(resourcesOf(synthesizeWith({ waf: 'off' }), 'AWS::WAFv2::WebACL').size).toBe(0);
    const [byReputation, byRate] = Object(single(template, 'AWS::WAFv2::WebACL').Properties).Rules;
    expect(byReputation.Statement.ManagedRuleGroupStatement.Name).toBe('AWSManagedRulesAmazonIpReputationList');
    expect(byRate.Statement.RateBasedStatement).toMatchObject({ AggregateKeyType: 'IP', Limit: 20_000 });
    expect(resourcesOf(complete, 'AWS::WAFv2::WebACL').size).toBe(1);
    expect(shorten(single(complete, 'AWS::WAFv2::WebACLAssociation').Properties.WebACLArn)).toBe('Firewall.Arn');
  });

  test('samples no requests, and logs neither query strings nor the headers with keys and tokens', () => {
    const acl = JSON.stringify(single(complete, 'AWS::WAFv2::WebACL').Properties);
    expect(acl.match(/"SampledRequestsEnabled":(true|false)/g)).toEqual(
      Array(3).fill('"SampledRequestsEnabled":false'),
    );
    expect(single(complete, 'AWS::WAFv2::LoggingConfiguration').Properties.RedactedFields).toEqual([
      { QueryString: {} },
      { SingleHeader: { Name: 'ocp-apim-subscription-key' } },
      { SingleHeader: { Name: 'authorization' } },
    ]);
  });

  test('logs blocked requests only', () => {
    expect(single(complete, 'AWS::WAFv2::LoggingConfiguration').Properties.LoggingFilter).toEqual({
      DefaultBehavior: 'DROP',
      Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
    });
  });
});

test('a custom domain serves the API under the same path', () => {
  expect(single(complete, 'AWS::ApiGateway::DomainName').Properties).toMatchObject({
    DomainName: 'api.example.com',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'TLS_1_2',
  });
  expect(shorten(single(complete, 'AWS::ApiGateway::BasePathMapping').Properties)).toMatchObject({
    BasePath: 'v2',
    Stage: 'ApiDeploymentStagev2',
  });
});

test('the settings warmThroughput and reservedConcurrency apply to the table and the function', () => {
  expect(single(complete, 'AWS::DynamoDB::GlobalTable').Properties.WarmThroughput).toEqual({
    ReadUnitsPerSecond: 12_000,
    WriteUnitsPerSecond: 40_000,
  });
  const reserved = [...resourcesOf(complete, 'AWS::Lambda::Function')].flatMap(([id, { Properties }]) =>
    Properties.ReservedConcurrentExecutions === undefined
      ? []
      : [[withoutHash(id), Properties.ReservedConcurrentExecutions]],
  );
  expect(reserved).toEqual([['SubmitReport', 50]]);
});

test('the local stage accepts the template of a stack with every setting', () => {
  expect(() => readResources(complete)).not.toThrow();
});
