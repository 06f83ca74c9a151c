import { rmSync } from 'node:fs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { createApp } from '../../../infra/app.ts';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import {
  BUNDLES,
  EVERY_SETTING,
  resourcesOf,
  single,
  synthesizeDefault,
  synthesizeWith,
  Template,
  withoutHash,
} from './synthesized.ts';

const template = synthesizeDefault();
const complete = synthesizeWith(EVERY_SETTING);

test('a stack uses the user-id key of another stack if the setting userIdKey names it', () => {
  const arn = EVERY_SETTING.userIdKey;
  const other = synthesizeWith({ userIdKey: arn });
  expect(resourcesOf(other, 'AWS::KMS::Key').size).toBe(1);
  expect(single(other, 'AWS::KMS::Alias').Properties.TargetKeyId).toBe(arn);
  expect(JSON.stringify([...resourcesOf(other, 'AWS::IAM::Policy').values()])).toContain(
    `{"Action":"kms:GenerateMac","Effect":"Allow","Resource":"${arn}"}`,
  );
});

test('settings make a stack without protection and retained resources, in another time zone and currency, with the existing role for logs', () => {
  const context = {
    removalPolicy: 'destroy',
    timeZone: 'Asia/Tokyo',
    currency: 'JPY',
    apiGatewayAccountRole: 'existing',
    stackName: 'Trial',
  };
  const assembly = createApp(BUNDLES, { context }).synth();
  const { template: ownTemplate, terminationProtection } = assembly.getStackByName('Trial');
  expect(terminationProtection).toBe(false);
  const trial = Template.parse(ownTemplate);
  rmSync(assembly.directory, { recursive: true, force: true });
  const table = single(trial, 'AWS::DynamoDB::GlobalTable');
  expect(table.DeletionPolicy).toBe('Delete');
  expect(table.Properties.Replicas).toMatchObject([{ DeletionProtectionEnabled: false }]);
  const keys = [...resourcesOf(trial, 'AWS::KMS::Key').values()];
  expect(keys.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(['Delete', 'Delete']);
  expect(single(trial, 'AWS::ApiGateway::RestApi').Properties.Name).toBe('Trial');
  expect(resourcesOf(trial, 'AWS::ApiGateway::Account').size).toBe(0);
  for (const [id, { Properties }] of resourcesOf(trial, 'AWS::Lambda::Function')) {
    if (id.startsWith('Check')) continue; // asks the others
    const needsCurrency = !['Ingestion', pascalCase(PAGES.function)].some((name) => id.startsWith(name)); // neither loads nor pages use it
    const currency = needsCurrency ? { CURRENCY: 'JPY' } : {};
    expect(Properties.Environment).toMatchObject({ Variables: { TIME_ZONE: 'Asia/Tokyo', ...currency } });
  }
});

test('the function and the paths of the pages are absent if the setting pages is false', () => {
  const without = synthesizeWith({ pages: false });
  const functions = [...resourcesOf(without, 'AWS::Lambda::Function').keys()];
  expect(functions.length).toBeGreaterThan(1);
  expect(functions.filter((id) => id.startsWith(pascalCase(PAGES.function)))).toEqual([]);
  const parts = [...resourcesOf(without, 'AWS::ApiGateway::Resource').values()].map(
    ({ Properties }) => Properties.PathPart,
  );
  expect(parts.filter((part) => ['explorer', 'docs', 'openapi.json'].includes(String(part)))).toEqual([]);
});

describe('with the setting corsOrigins', () => {
  const corsOf = (corsOrigins: readonly string[]) => {
    const synthesized = synthesizeWith({ corsOrigins });
    const responses = [...resourcesOf(synthesized, 'AWS::ApiGateway::GatewayResponse').values()];
    const headers = responses.map(({ Properties }) =>
      Object.entries(Object(Properties.ResponseParameters))
        .filter(([name]) => /access-control|vary/i.test(name))
        .map(([name, value]) => `${name.replace('gatewayresponse.header.', '')}: ${value}`),
    );
    const variables = [...resourcesOf(synthesized, 'AWS::Lambda::Function').values()].flatMap(
      ({ Properties }) => Object(Properties.Environment).Variables?.CORS_ORIGINS ?? [],
    );
    return { responses: [...new Set(headers.map(String))], variables: [...new Set(variables)] };
  };

  test('API Gateway’s own responses may be read by the one origin, which every function receives', () => {
    expect(corsOf(['https://dashboard.example.com'])).toEqual({
      responses: [
        "Access-Control-Allow-Origin: 'https://dashboard.example.com',Access-Control-Expose-Headers: 'Retry-After, x-amzn-RequestId',Vary: 'Origin'",
      ],
      variables: ['["https://dashboard.example.com"]'],
    });
  });

  test('with several origins, API Gateway’s own responses may be read by any origin, because they are fixed and contain no data', () => {
    expect(corsOf(['https://a.example.com', 'https://b.example.com'])).toEqual({
      responses: ["Access-Control-Allow-Origin: '*',Access-Control-Expose-Headers: 'Retry-After, x-amzn-RequestId'"],
      variables: ['["https://a.example.com","https://b.example.com"]'],
    });
  });
});

test('the firewall exists unless the setting waf is off', () => {
  expect(resourcesOf(synthesizeWith({ waf: 'off' }), 'AWS::WAFv2::WebACL').size).toBe(0);
  const [, byRate] = Object(single(template, 'AWS::WAFv2::WebACL').Properties).Rules;
  expect(byRate.Statement.RateBasedStatement).toMatchObject({ Limit: 20_000 });
});

test('reserved concurrency applies to the function', () => {
  const reserved = [...resourcesOf(complete, 'AWS::Lambda::Function')].flatMap(([id, { Properties }]) =>
    Properties.ReservedConcurrentExecutions === undefined
      ? []
      : [[withoutHash(id), Properties.ReservedConcurrentExecutions]],
  );
  expect(reserved).toEqual([['SubmitReport', 50]]);
});

test('the setting sam changes the processors of all functions, and declares a variable that the SDK ignores', async () => {
  const functions = resourcesOf(synthesizeWith({ sam: 'x86_64' }), 'AWS::Lambda::Function');
  for (const { Properties } of functions.values()) {
    expect(Properties).toMatchObject({
      Architectures: ['x86_64'],
      Environment: { Variables: { AWS_ENDPOINT_URL: '' } },
    });
  }
  expect(functions.size).toBe(FUNCTION_ROUTES.length + 3); // with the pages', the ingestion's and the check of the service
  vi.stubEnv('AWS_ENDPOINT_URL', '');
  const requestHandler = { handle: (request: { hostname: string }) => Promise.reject(new Error(request.hostname)) };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new DynamoDBClient({ region: 'eu-central-1', credentials, requestHandler, maxAttempts: 1 });
  await expect(client.send(new ListTablesCommand({}))).rejects.toThrow('dynamodb.eu-central-1.amazonaws.com');
  vi.unstubAllEnvs();
});

/** Types of resources that cannot have tags. */
const UNTAGGED = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::IAM::Policy',
  'AWS::KMS::Alias',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::MetricFilter',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
];

test('every resource that can have tags has those of the setting', () => {
  const untagged = Object.values(complete.Resources).filter(
    ({ Properties }) => !JSON.stringify(Properties).includes(JSON.stringify({ Key: 'team', Value: 'retail-media' })),
  );
  expect(untagged.map(({ Type }) => Type).filter((type) => !UNTAGGED.includes(type))).toEqual([]);
  expect(JSON.stringify(template)).not.toContain('"Tags"');
});

test('the template with every setting stays under CloudFormation’s limits', () => {
  expect(Object.keys(complete.Resources).length).toBeLessThan(500);
  expect(Object.keys(Object(complete.Outputs)).length).toBeLessThanOrEqual(200);
  expect(Buffer.byteLength(JSON.stringify(complete, undefined, 1))).toBeLessThan(1_000_000);
});
