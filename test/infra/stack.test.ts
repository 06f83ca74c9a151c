import { rmSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../infra/app.ts';
import { ROUTES } from '../../infra/routes.ts';
import { Problem } from '../../shared/contract/problem.ts';
import { PROBLEMS } from '../../shared/errors.ts';
import { readSynthesized, resourcesOf, shorten, Template, theOnly } from './synthesized.ts';

let template: Template;
let text: string;
beforeAll(async () => {
  ({ template, text } = await readSynthesized());
});

const pascalCase = (name: string) => name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

describe('the table', () => {
  test('has the keys, the time to live and the backups it needs, and outlives the stack', () => {
    const { Properties, DeletionPolicy, UpdateReplacePolicy } = theOnly(template, 'AWS::DynamoDB::GlobalTable');
    expect({ ...Properties, DeletionPolicy, UpdateReplacePolicy }).toEqual({
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      Replicas: [
        {
          Region: { Ref: 'AWS::Region' },
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      ],
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });
});

test('the signing key is for P-256 signatures and outlives the stack', () => {
  const { Properties, DeletionPolicy } = theOnly(template, 'AWS::KMS::Key');
  expect({ ...Properties, DeletionPolicy }).toMatchObject({
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    DeletionPolicy: 'Retain',
  });
});

describe('each function', () => {
  test.each(ROUTES)('$function: memory, time, runtime and environment', (route) => {
    const found = [...resourcesOf(template, 'AWS::Lambda::Function')].find(([id]) =>
      new RegExp(`^${pascalCase(route.function)}[0-9A-F]{8}$`).test(id),
    );
    expect(shorten(found?.[1].Properties)).toEqual({
      Architectures: ['arm64'],
      Code: expect.anything(),
      Environment: {
        Variables: {
          ATTRIBUTION: expect.stringMatching(/^\{"pla":/),
          CURRENCY: 'USD',
          JWT_AUDIENCE: 'endcap',
          JWT_ISSUER: 'urn:endcap:AWS::StackName',
          JWT_KEY_ID: 'SigningKey',
          TABLE_NAME: 'Table',
          TIME_ZONE: 'America/New_York',
        },
      },
      Handler: 'index.handler',
      LoggingConfig: {
        ApplicationLogLevel: 'INFO',
        LogFormat: 'JSON',
        LogGroup: `${pascalCase(route.function)}Log`,
        SystemLogLevel: 'WARN',
      },
      MemorySize: route.function === 'submit-report' ? 1769 : 1024,
      Role: `${pascalCase(route.function)}Role.Arn`,
      Runtime: 'nodejs24.x',
      Timeout: 28,
    });
  });
});

describe('each function may do this and nothing else', () => {
  const log = (name: string) => ({
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Effect: 'Allow',
    Resource: `${name}Log.Arn`,
  });
  const readTable = {
    Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
    Effect: 'Allow',
    Resource: 'Table.Arn',
  };
  const moveView = {
    Action: 'dynamodb:UpdateItem',
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  };
  const readPublicKey = { Action: 'kms:GetPublicKey', Effect: 'Allow', Resource: 'SigningKey.Arn' };
  const sign = {
    Action: 'kms:Sign',
    Effect: 'Allow',
    Resource: 'SigningKey.Arn',
    Condition: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' } },
  };

  test.each([
    ['ListAccounts', [readTable, moveView, readPublicKey]],
    ['ListAdvertisers', [readTable, readPublicKey]],
    ['ListContacts', [readTable, moveView, readPublicKey]],
    ['ListAddresses', [readTable, moveView, readPublicKey]],
    ['ListPlacements', [readTable, readPublicKey]],
    ['ListAvailableProducts', [readTable, readPublicKey]],
    ['SubmitReport', [readTable, readPublicKey]],
    ['GetJwt', [readTable, readPublicKey, sign]],
    ['GetJwtClaims', [readTable, readPublicKey]],
  ])('%s', (name, statements) => {
    const policies = [...resourcesOf(template, 'AWS::IAM::Policy').values()].filter(
      ({ Properties }) => JSON.stringify(shorten(Properties.Roles)) === JSON.stringify([`${name}Role`]),
    );
    expect(policies.map(({ Properties }) => shorten(Properties.PolicyDocument))).toEqual([
      { Statement: [log(name), ...statements], Version: '2012-10-17' },
    ]);
    const [role] = [...resourcesOf(template, 'AWS::IAM::Role')].filter(([id]) => id.startsWith(`${name}Role`));
    expect(role?.[1].Properties).toEqual({
      AssumeRolePolicyDocument: {
        Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } }],
        Version: '2012-10-17',
      },
    });
  });

  test('there are no other policies', () => {
    expect(resourcesOf(template, 'AWS::IAM::Policy').size).toBe(ROUTES.length);
  });
});

describe('the API', () => {
  test('is regional, compresses, and bears the stack’s name, by which its metrics are kept', () => {
    expect(theOnly(template, 'AWS::ApiGateway::RestApi').Properties).toEqual({
      Description: 'Advertising platform API',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      MinimumCompressionSize: 1024,
      Name: 'Endcap',
    });
  });

  test('hands any method of each path to the function of its route', () => {
    const parts = resourcesOf(template, 'AWS::ApiGateway::Resource');
    const pathOf = (reference: unknown): string => {
      const own = parts.get(Object(reference).Ref);
      return own === undefined ? '' : `${pathOf(own.Properties.ParentId)}/${own.Properties.PathPart}`;
    };
    const methods = [...resourcesOf(template, 'AWS::ApiGateway::Method').values()].map(({ Properties }) => ({
      path: pathOf(Properties.ResourceId),
      method: Properties.HttpMethod,
      authorization: Properties.AuthorizationType,
      integration: shorten(Properties.Integration),
    }));
    const inOrder = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    expect(methods.sort(inOrder)).toEqual(
      ROUTES.map((route) => ({
        path: route.path,
        method: 'ANY',
        authorization: 'NONE',
        integration: {
          IntegrationHttpMethod: 'POST',
          Type: 'AWS_PROXY',
          Uri: `arn:AWS::Partition:apigateway:AWS::Region:lambda:path/2015-03-31/functions/${pascalCase(route.function)}.Arn/invocations`,
        },
      })).sort(inOrder),
    );
  });

  test('has one stage, v2, throttled, without anything that could keep a URL', () => {
    const { Properties } = theOnly(template, 'AWS::ApiGateway::Stage');
    const { AccessLogSetting, MethodSettings, StageName, TracingEnabled } = Properties;
    expect({ MethodSettings, StageName, TracingEnabled }).toEqual({
      MethodSettings: [
        {
          DataTraceEnabled: false,
          HttpMethod: '*',
          LoggingLevel: 'ERROR',
          MetricsEnabled: true,
          ResourcePath: '/*',
          ThrottlingBurstLimit: 1000,
          ThrottlingRateLimit: 500,
        },
      ],
      StageName: 'v2',
      TracingEnabled: false,
    });
    const variables = Object(AccessLogSetting).Format.match(/\$context[.\w]+/g);
    expect(variables).toEqual([
      '$context.requestTimeEpoch',
      '$context.requestId',
      '$context.httpMethod',
      '$context.resourcePath',
      '$context.status',
      '$context.responseLength',
      '$context.responseLatency',
      '$context.integrationLatency',
      '$context.integrationStatus',
      '$context.error.responseType',
    ]);
  });
});

describe('what API Gateway answers itself', () => {
  test.each([
    ['MISSING_AUTHENTICATION_TOKEN', 'NOT_FOUND'],
    ['INVALID_SIGNATURE', 'NOT_FOUND'],
    ['EXPIRED_TOKEN', 'NOT_FOUND'],
    ['ACCESS_DENIED', 'NOT_FOUND'],
    ['RESOURCE_NOT_FOUND', 'NOT_FOUND'],
    ['THROTTLED', 'TOO_MANY_REQUESTS'],
    ['QUOTA_EXCEEDED', 'TOO_MANY_REQUESTS'],
    ['REQUEST_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
    ['UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
    ['INTEGRATION_TIMEOUT', 'DEADLINE_EXCEEDED'],
    ['DEFAULT_4XX', 'INVALID_REQUEST'],
    ['DEFAULT_5XX', 'INTERNAL_ERROR'],
  ] as const)('%s is the problem %s', (type, code) => {
    const answers = [...resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').values()];
    expect(answers).toHaveLength(12);
    const found = answers.find(({ Properties }) => Properties.ResponseType === type)?.Properties;
    const { status, title } = PROBLEMS[code];
    const retry = status === 429 ? { 'gatewayresponse.header.Retry-After': "'1'" } : {};
    expect(found).toMatchObject({ StatusCode: String(status) });
    expect(found?.ResponseParameters).toEqual({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      ...retry,
    });
    const body = Problem.parse(JSON.parse(Object(found?.ResponseTemplates)['application/json']));
    expect(body).toMatchObject({
      code,
      status,
      title,
      statusCode: status,
      requestId: '$context.requestId',
      errors: [],
    });
    expect(body.message).toBe(body.detail);
  });
});

test('logs are kept for as long as the setting says', () => {
  const groups = [...resourcesOf(template, 'AWS::Logs::LogGroup').values()];
  expect(groups).toHaveLength(ROUTES.length + 1);
  for (const { Properties, DeletionPolicy } of groups) {
    expect({ ...Properties, DeletionPolicy }).toEqual({ RetentionInDays: 30, DeletionPolicy: 'Delete' });
  }
});

test('no account, region or name stands in the template, so that two stages fit into one account', () => {
  expect(text).not.toMatch(/\b\d{12}\b/);
  expect(text).not.toMatch(/\b(us|eu|ap|sa|ca|me|af|il)-[a-z]+-\d\b/);
  const names = /^(Table|Function|Role|Policy|LogGroup|Alias|Key|Bucket|Alarm|Dashboard|Stack)Name$/;
  const named = Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) =>
    Object.entries(Properties)
      .filter(([property, value]) => names.test(property) && typeof value === 'string')
      .map(([property]) => `${id} (${Type}): ${property}`),
  );
  // an inline policy's name is the role's own affair
  expect(
    named.filter((it) => !it.includes('(AWS::IAM::Policy): PolicyName') && !it.includes('(AWS::Lambda::Permission)')),
  ).toEqual([]);
});

describe('settings', () => {
  test('a stage that may be thrown away, in another zone and currency, with the account’s role for logs', () => {
    const context = {
      removalPolicy: 'destroy',
      timeZone: 'Asia/Tokyo',
      currency: 'JPY',
      apiGatewayAccountRole: 'existing',
      stackName: 'Trial',
    };
    const assembly = createApp({ context }).synth();
    const trial = Template.parse(assembly.getStackByName('Trial').template);
    rmSync(assembly.directory, { recursive: true, force: true });
    const table = theOnly(trial, 'AWS::DynamoDB::GlobalTable');
    expect(table.DeletionPolicy).toBe('Delete');
    expect(table.Properties.Replicas).toMatchObject([{ DeletionProtectionEnabled: false }]);
    expect(theOnly(trial, 'AWS::KMS::Key').DeletionPolicy).toBe('Delete');
    expect(theOnly(trial, 'AWS::ApiGateway::RestApi').Properties.Name).toBe('Trial');
    expect(resourcesOf(trial, 'AWS::ApiGateway::Account').size).toBe(0);
    for (const { Properties } of resourcesOf(trial, 'AWS::Lambda::Function').values()) {
      expect(Properties.Environment).toMatchObject({ Variables: { TIME_ZONE: 'Asia/Tokyo', CURRENCY: 'JPY' } });
    }
  });

  test('the role for logs that the stack makes stays behind: other stacks use it by then', () => {
    expect(theOnly(template, 'AWS::ApiGateway::Account').DeletionPolicy).toBe('Retain');
    const roles = [...resourcesOf(template, 'AWS::IAM::Role')].filter(([id]) => id.startsWith('ApiCloudWatchRole'));
    expect(roles.map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(['Retain']);
  });
});
