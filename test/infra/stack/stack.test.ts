import { describe, expect, test } from 'vitest';
import { FUNCTION_ROUTES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { readSource } from '../../rules/source-files.ts';
import { resourcesOf, shorten, single, synthesizeDefault, synthesizeWith } from './synthesized.ts';

const template = synthesizeDefault();
const text = JSON.stringify(template);

describe('each function', () => {
  test.each(FUNCTION_ROUTES)('$function has its memory, timeout, runtime and environment', (route) => {
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
          ...(route.throttle === 'reportThrottle'
            ? { NODE_OPTIONS: '--max-semi-space-size=32 --max-old-space-size=1200 --expose-gc' }
            : {}),
          PRODUCT_IDS: 'upc',
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
      MemorySize: route.throttle === 'reportThrottle' ? 1769 : 1024,
      Role: `${pascalCase(route.function)}Role.Arn`,
      Runtime: 'nodejs24.x',
      Timeout: 28,
    });
  });
});

test('no function is invoked asynchronously, so none has rules for such invocations', () => {
  expect(resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').size).toBe(0);
});

test('logs have the retention period of the setting', () => {
  const groups = [...resourcesOf(template, 'AWS::Logs::LogGroup').values()];
  expect(groups).toHaveLength(FUNCTION_ROUTES.length + 6); // the API's two, the pages', the ingestion's, the check's and the firewall's
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

test('the runbook of a restoration, and that of a failed first deployment, name the table’s logical id', () => {
  const [id] = [...resourcesOf(template, 'AWS::DynamoDB::GlobalTable').keys()];
  expect(readSource('infra/cli/operate/README.md')).toContain(
    `--resource-mapping-inline '{"${id}":{"TableName":"RESTORED"}}'`,
  );
  expect(readSource('infra/README.md')).toContain(`--logical-resource-id ${id} `);
});

describe('the setting customerManagedKey', () => {
  const own = synthesizeWith({ customerManagedKey: true });

  test('encrypts every log group and every queue with the key, and without it nothing is', () => {
    const groups = [...resourcesOf(own, 'AWS::Logs::LogGroup').values()].map(({ Properties }) => shorten(Properties));
    for (const group of groups) expect(group).toMatchObject({ KmsKeyId: 'DataKey.Arn' });
    const queues = [...resourcesOf(own, 'AWS::SQS::Queue').values()];
    expect(JSON.stringify(queues)).not.toContain('SqsManagedSseEnabled'); // SQS accepts one of both
    expect(text).not.toMatch(/DataKey|KmsKeyId|KmsMasterKeyId|KMSMasterKey/);
  });

  test('leaves the permissions of functions as they are', () => {
    const policiesOf = (of: typeof own) =>
      [...resourcesOf(of, 'AWS::IAM::Policy').values()].map(({ Properties }) => shorten(Properties.PolicyDocument));
    expect(policiesOf(own)).toEqual(policiesOf(template));
  });
});
