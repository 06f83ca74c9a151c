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
let complete: Template;
beforeAll(async () => {
  ({ template } = await readSynthesized());
  complete = synthesizeWith(EVERY_SETTING);
});

const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

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
