import { beforeAll, describe, expect, test } from 'vitest';
import { readResources } from '../../infra/local/template-schema.ts';
import { ROUTES } from '../../infra/routes.ts';
import {
  EVERY_SETTING,
  readSynthesized,
  resourcesOf,
  shorten,
  synthesizeWith,
  type Template,
  theOnly,
} from './synthesized.ts';

let template: Template;
let whole: Template;
beforeAll(async () => {
  ({ template } = await readSynthesized());
  whole = synthesizeWith(EVERY_SETTING);
});

const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

describe('alarms', () => {
  test.each([
    ['ServerErrorsAlarm', 0.01, [3, 5]],
    ['FunctionErrorsAlarm', 0, [1, 1]],
    ['ThrottlesAlarm', 0, [2, 3]],
    ['SlowListingsAlarm', 1_000, [3, 5]],
    ['SlowReportsAlarm', 15_000, [3, 5]],
    ['TableThrottlesAlarm', 0, [2, 3]],
    ['TableErrorsAlarm', 0, [2, 3]],
  ])('%s rings above %d, in %j periods, and says what is wrong', (name, above, [bad, of]) => {
    const [, alarm] =
      [...resourcesOf(template, 'AWS::CloudWatch::Alarm')].find(([id]) => withoutHash(id) === name) ?? [];
    expect(alarm?.Properties).toMatchObject({
      Threshold: above,
      ComparisonOperator: 'GreaterThanThreshold',
      DatapointsToAlarm: bad,
      EvaluationPeriods: of,
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringMatching(/^[A-Z].{40,}\.$/),
    });
  });

  test('functions’ errors and throttles are those of all nine; the table’s those of what the functions do', () => {
    const metricsOf = (name: string) => {
      const alarms = [...resourcesOf(template, 'AWS::CloudWatch::Alarm')];
      const metrics = alarms.find(([id]) => withoutHash(id) === name)?.[1].Properties.Metrics;
      return Object(shorten(metrics)).flatMap(
        ({ MetricStat }: { MetricStat?: { Metric: { Dimensions: object[] } } }) =>
          MetricStat === undefined ? [] : MetricStat.Metric.Dimensions.map((it) => Object(it).Value),
      );
    };
    const names = ROUTES.map(({ function: it }) =>
      it.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(metricsOf('FunctionErrorsAlarm')).toEqual(names);
    expect(metricsOf('ThrottlesAlarm')).toEqual(names);
    expect(metricsOf('SlowListingsAlarm')).toEqual(names.filter((name) => name !== 'SubmitReport'));
    const operations = metricsOf('TableErrorsAlarm').filter((it: string) => it !== 'Table');
    expect([...new Set(operations)]).toEqual([
      'GetItem',
      'BatchGetItem',
      'Query',
      'UpdateItem',
      'PutItem',
      'BatchWriteItem',
    ]);
  });

  test('nobody is told unless there is an address; then every alarm and its end are told', () => {
    expect(resourcesOf(template, 'AWS::SNS::Topic').size).toBe(0);
    const subscription = theOnly(whole, 'AWS::SNS::Subscription').Properties;
    expect(subscription).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
    const alarms = [...resourcesOf(whole, 'AWS::CloudWatch::Alarm').values()];
    expect(alarms).toHaveLength(8); // those above, and the ingestion's
    for (const { Properties } of alarms) {
      expect(shorten([Properties.AlarmActions, Properties.OKActions])).toEqual([['AlarmTopic'], ['AlarmTopic']]);
    }
  });
});

test('the dashboard shows traffic, latency, work and health of every route', () => {
  const body = String(shorten(theOnly(template, 'AWS::CloudWatch::Dashboard').Properties.DashboardBody));
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
    expect(shorten(theOnly(whole, 'AWS::WAFv2::WebACLAssociation').Properties.WebACLArn)).toBe('Firewall.Arn');
  });

  test('samples no request and logs neither query string nor the headers that bear keys and tokens', () => {
    const acl = JSON.stringify(theOnly(whole, 'AWS::WAFv2::WebACL').Properties);
    expect(acl.match(/"SampledRequestsEnabled":(true|false)/g)).toEqual(
      Array(3).fill('"SampledRequestsEnabled":false'),
    );
    expect(theOnly(whole, 'AWS::WAFv2::LoggingConfiguration').Properties.RedactedFields).toEqual([
      { QueryString: {} },
      { SingleHeader: { Name: 'ocp-apim-subscription-key' } },
      { SingleHeader: { Name: 'authorization' } },
    ]);
  });
});

test('with a name of its own, the API is at the same path under it', () => {
  expect(theOnly(whole, 'AWS::ApiGateway::DomainName').Properties).toMatchObject({
    DomainName: 'api.example.com',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'TLS_1_2',
  });
  expect(shorten(theOnly(whole, 'AWS::ApiGateway::BasePathMapping').Properties)).toMatchObject({
    BasePath: 'v2',
    Stage: 'ApiDeploymentStagev2',
  });
});

test('capacity that is asked for is the table’s and the function’s', () => {
  expect(theOnly(whole, 'AWS::DynamoDB::GlobalTable').Properties.WarmThroughput).toEqual({
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
