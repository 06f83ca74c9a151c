import { describe, expect, test } from 'vitest';
import { PAGES, ROUTES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { readSource } from '../../rules/source-files.ts';
import { resourcesOf, shorten, single, synthesizeDefault } from './support/synthesized.ts';

const template = synthesizeDefault();
const text = JSON.stringify(template);

const RETAINED_KEY = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };

/** @returns the stack's key in KMS with this use */
function keyFor(usage: string): object | undefined {
  return [...resourcesOf(template, 'AWS::KMS::Key').values()].find(({ Properties }) => Properties.KeyUsage === usage);
}

describe('the table', () => {
  test('has its keys, time to live and backups, and is retained when the stack is deleted', () => {
    const { Properties, DeletionPolicy, UpdateReplacePolicy } = single(template, 'AWS::DynamoDB::GlobalTable');
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

test('the signing key is for P-256 signatures, and is retained when the stack is deleted', () => {
  expect(keyFor('SIGN_VERIFY')).toMatchObject({ ...RETAINED_KEY, Properties: { KeySpec: 'ECC_NIST_P256' } });
});

test('the user-id key is for HMAC, is retained when the stack is deleted, and is found by the table’s name', () => {
  const expected = { ...RETAINED_KEY, Properties: { KeySpec: 'HMAC_256', MultiRegion: true } };
  expect(keyFor('GENERATE_VERIFY_MAC')).toMatchObject(expected);
  const alias = single(template, 'AWS::KMS::Alias').Properties;
  expect(shorten(alias)).toEqual({
    AliasName: 'alias/Table-user-ids',
    TargetKeyId: 'UserIdKey.Arn',
  });
});

describe('each function', () => {
  test.each(ROUTES)('$function has its memory, timeout, runtime and environment', (route) => {
    const found = [...resourcesOf(template, 'AWS::Lambda::Function')].find(([id]) =>
      new RegExp(`^${pascalCase(route.function)}[0-9A-F]{8}$`).test(id),
    );
    expect(shorten(found?.[1].Properties)).toEqual({
      Architectures: ['arm64'],
      Code: expect.anything(),
      Environment: {
        Variables: {
          ATTRIBUTION: expect.stringMatching(/^\{"pla":/),
          CORS_ORIGINS: '[]',
          CURRENCY: 'USD',
          JWT_AUDIENCE: 'endcap',
          JWT_ISSUER: 'urn:endcap:AWS::StackName',
          JWT_KEY_IDS: 'SigningKey',
          KEY_LIMITS: '{"requestsPerMinute":1200,"concurrentReports":8,"dailyReadUnits":2000000}',
          MARKET_MIN_OTHERS: '3',
          ...(route.reads === 'none' ? {} : { TABLE_NAME: 'Table' }),
          TIME_ZONE: 'America/New_York',
          WEEK_STARTS_ON: 'Monday',
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

test('the function of the pages has neither the table nor the signing key', () => {
  const isPages = ([id]: readonly [string, unknown]) => id.startsWith(pascalCase(PAGES.function));
  const pages = [...resourcesOf(template, 'AWS::Lambda::Function')].find(isPages);
  const { Environment, ...properties } = Object(shorten(pages?.[1].Properties));
  expect(Environment.Variables).toEqual({ TIME_ZONE: 'America/New_York' });
  expect(properties).toMatchObject({ MemorySize: PAGES.memory, Timeout: PAGES.timeout });
});

test('logs have the retention period of the setting', () => {
  const groups = [...resourcesOf(template, 'AWS::Logs::LogGroup').values()];
  expect(groups).toHaveLength(ROUTES.length + 5); // the API's two, the pages', the ingestion's and the firewall's
  for (const { Properties, DeletionPolicy } of groups) {
    const { LogGroupName: _, ...rest } = Properties;
    expect({ ...rest, DeletionPolicy }).toEqual({ RetentionInDays: 30, DeletionPolicy: 'Delete' });
  }
});

test('the log group for API Gateway’s errors is created before the stage, because API Gateway would create it without a retention period', () => {
  const groups = [...resourcesOf(template, 'AWS::Logs::LogGroup')];
  const [id, group] = groups.find(([name]) => name.startsWith('GatewayErrorLog')) ?? [];
  expect(shorten(group?.Properties.LogGroupName)).toBe('API-Gateway-Execution-Logs_Api/v2');
  expect(single(template, 'AWS::ApiGateway::Stage').DependsOn).toContain(id);
});

test('the template contains no account, region or fixed name, so that two stacks fit into one account', () => {
  expect(text).not.toMatch(/\b\d{12}\b/);
  expect(text).not.toMatch(/\b(us|eu|ap|sa|ca|me|af|il)-[a-z]+-\d\b/);
  const names = /^(Table|Function|Role|Policy|LogGroup|Alias|Key|Bucket|Alarm|Dashboard|Stack)Name$/;
  const named = Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) =>
    Object.entries(Properties)
      .filter(([property, value]) => names.test(property) && typeof value === 'string')
      .map(([property]) => `${id} (${Type}): ${property}`),
  );
  // the name of an inline policy is unique only within its role
  const allowed = /\(AWS::IAM::Policy\): PolicyName|\(AWS::Lambda::Permission\)/;
  expect(named.filter((name) => !allowed.test(name))).toEqual([]);
});

test('the role for logs that the stack creates is retained, because other stacks may use it', () => {
  expect(single(template, 'AWS::ApiGateway::Account').DeletionPolicy).toBe('Retain');
  const roles = [...resourcesOf(template, 'AWS::IAM::Role')].filter(([id]) => id.startsWith('ApiCloudWatchRole'));
  expect(roles.map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(['Retain']);
});

test('the runbook of a restoration, and that of a failed first deployment, name the table’s logical id', () => {
  const [id] = [...resourcesOf(template, 'AWS::DynamoDB::GlobalTable').keys()];
  expect(readSource('infra/operate/README.md')).toContain(
    `--resource-mapping-inline '{"${id}":{"TableName":"RESTORED"}}'`,
  );
  expect(readSource('infra/README.md')).toContain(`--logical-resource-id ${id} `);
});
