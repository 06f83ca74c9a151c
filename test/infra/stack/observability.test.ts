import { beforeAll, describe, expect, test } from 'vitest';
import { readResources } from '../../../infra/emulator/template/template-schema.ts';
import { ROUTES } from '../../../infra/routes.ts';
import {
  EVERY_SETTING,
  readSynthesized,
  resourcesOf,
  shorten,
  single,
  synthesizeWith,
  type Template,
} from './synthesized.ts';

let template: Template;
let whole: Template;
beforeAll(async () => {
  ({ template } = await readSynthesized());
  whole = synthesizeWith(EVERY_SETTING);
});

const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

describe('alarms', () => {
  const alarmOf = (name: string) =>
    [...resourcesOf(template, 'AWS::CloudWatch::Alarm')].find(([id]) => withoutHash(id) === name)?.[1].Properties;
  const names = ROUTES.map(({ function: it }) =>
    it.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
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
    ...operations.map((it) => [`Table${it}FailsAlarm`, 'SystemErrors', 0, [2, 3]] as const),
  ] as const)(
    '%s rings when %s is above %d, in %j periods, and says what is wrong',
    (name, metric, above, [bad, of]) => {
      expect(alarmOf(name)).toMatchObject({
        MetricName: metric,
        Threshold: above,
        ComparisonOperator: 'GreaterThanThreshold',
        DatapointsToAlarm: bad,
        EvaluationPeriods: of,
        TreatMissingData: 'notBreaching',
        AlarmDescription: expect.stringMatching(/^[A-Z].{40,}\.$/),
      });
    },
  );

  test('slowness is that of the slowest of a hundred', () => {
    expect(names.map((name) => alarmOf(`${name}SlowAlarm`)?.ExtendedStatistic)).toEqual(names.map(() => 'p99'));
  });

  test('nobody is told unless there is an address; then every alarm and its end are told', () => {
    expect(resourcesOf(template, 'AWS::SNS::Topic').size).toBe(0);
    const subscription = single(whole, 'AWS::SNS::Subscription').Properties;
    expect(subscription).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
    const alarms = [...resourcesOf(whole, 'AWS::CloudWatch::Alarm').values()];
    expect(alarms).toHaveLength(1 + 3 * ROUTES.length + 2 + operations.length + 2); // the last two are the ingestion's
    for (const { Properties } of alarms) {
      expect(shorten([Properties.AlarmActions, Properties.OKActions])).toEqual([['AlarmTopic'], ['AlarmTopic']]);
    }
  });
});

test('the topic takes alarms from CloudWatch for this account, and nothing without TLS', () => {
  expect(shorten(single(whole, 'AWS::SNS::TopicPolicy').Properties)).toEqual({
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
    'Answered with an error',
    'Requests by route',
    'At the gateway (ms)',
    'Functions, 50 of 100 (ms)',
    'Functions, 99 of 100 (ms)',
    'Rows scanned by reports',
    'Rows scanned by one report',
    'Read units of one request',
    'Read units by route',
    'Read and write units of the table',
    'Functions that ended without an answer',
    'Refused for want of an instance',
    'Refused by the table',
    'The slowest routes of the access log',
  ]);
  for (const { function: name } of ROUTES) expect(body.split(`"label":"${name}"`)).toHaveLength(8);
  for (const metric of ['readUnits', 'rowsScanned']) expect(body).toContain(`["Endcap","${metric}","functionName",`);
});

describe('the firewall', () => {
  test('is there only when it is asked for', () => {
    expect(resourcesOf(template, 'AWS::WAFv2::WebACL').size).toBe(0);
    expect(resourcesOf(whole, 'AWS::WAFv2::WebACL').size).toBe(1);
    expect(shorten(single(whole, 'AWS::WAFv2::WebACLAssociation').Properties.WebACLArn)).toBe('Firewall.Arn');
  });

  test('samples no request and logs neither query string nor the headers that bear keys and tokens', () => {
    const acl = JSON.stringify(single(whole, 'AWS::WAFv2::WebACL').Properties);
    expect(acl.match(/"SampledRequestsEnabled":(true|false)/g)).toEqual(
      Array(3).fill('"SampledRequestsEnabled":false'),
    );
    expect(single(whole, 'AWS::WAFv2::LoggingConfiguration').Properties.RedactedFields).toEqual([
      { QueryString: {} },
      { SingleHeader: { Name: 'ocp-apim-subscription-key' } },
      { SingleHeader: { Name: 'authorization' } },
    ]);
  });
});

test('with a name of its own, the API is at the same path under it', () => {
  expect(single(whole, 'AWS::ApiGateway::DomainName').Properties).toMatchObject({
    DomainName: 'api.example.com',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'TLS_1_2',
  });
  expect(shorten(single(whole, 'AWS::ApiGateway::BasePathMapping').Properties)).toMatchObject({
    BasePath: 'v2',
    Stage: 'ApiDeploymentStagev2',
  });
});

test('capacity that is asked for is the table’s and the function’s', () => {
  expect(single(whole, 'AWS::DynamoDB::GlobalTable').Properties.WarmThroughput).toEqual({
    ReadUnitsPerSecond: 12_000,
    WriteUnitsPerSecond: 40_000,
  });
  const reserved = [...resourcesOf(whole, 'AWS::Lambda::Function')].flatMap(([id, { Properties }]) =>
    Properties.ReservedConcurrentExecutions === undefined
      ? []
      : [[withoutHash(id), Properties.ReservedConcurrentExecutions]],
  );
  expect(reserved).toEqual([['SubmitReport', 50]]);
});

test('the local stage knows what it leaves out of a stack with every setting', () => {
  expect(() => readResources(whole)).not.toThrow();
});
