import { describe, expect, test } from 'vitest';
import { readTemplate } from '../../../infra/emulator/template/read-template.ts';
import { echoTemplate } from './echo-stage.ts';

const assetFolder = (hash: string) => `/assets/${hash}`;
const read = (template: object) => readTemplate(template, { stackName: 'Echo', assetFolder });

test('the stage’s definition is read from the template', () => {
  const definition = read(
    echoTemplate({
      integrationMs: 5_000,
      api: { MinimumCompressionSize: 1, BinaryMediaTypes: ['image/*'] },
      throttle: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
      throttleOfParts: { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 },
      resources: {
        Key: {
          Type: 'AWS::KMS::Key',
          Properties: { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY', KeyPolicy: {} },
        },
        Table: {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: {
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
            BillingMode: 'PAY_PER_REQUEST',
          },
        },
      },
    }),
  );
  const methods = new Map([['ANY', { functionName: 'Echo-Echo', timeoutMs: 5_000 }]]);
  expect(definition).toEqual({
    stageName: 'v9',
    apiId: 'localstage',
    resources: [
      { id: 'EchoPath', path: '/echo', methods },
      { id: 'Parts', path: '/things/{thing}/parts', methods },
    ],
    functions: new Map([
      [
        'Echo-Echo',
        {
          name: 'Echo-Echo',
          folder: '/assets/abc',
          handler: 'index.handler',
          memoryMb: 256,
          timeoutMs: 900_000,
          environment: { OWN: 'Echo/localstage' },
          logLevel: 'INFO',
        },
      ],
    ]),
    gatewayResponses: new Map(),
    binaryMediaTypes: ['image/*'],
    minimumCompressionSize: 1,
    throttles: new Map([
      ['/* *', { rate: 7, burst: 9 }],
      ['/things/{thing}/parts GET', { rate: 1, burst: 2 }],
    ]),
    tables: [
      {
        name: 'Echo-Table',
        attributes: [{ AttributeName: 'pk', AttributeType: 'S' }],
        keys: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      },
    ],
    signingKeys: [{ id: 'Key' }],
  });
});

describe('a template is rejected if it has', () => {
  const withFunction = (properties: object) => ({
    Echo: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: 'b', S3Key: 'abc.zip' },
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        ...properties,
      },
    },
  });

  test.each([
    [
      'an unknown resource type',
      { Stream: { Type: 'AWS::Kinesis::Stream' } },
      'Stream: resources of type AWS::Kinesis::Stream',
    ],
    ['an unknown property', withFunction({ VpcConfig: {} }), 'Echo (AWS::Lambda::Function): the property VpcConfig'],
    [
      'a runtime other than Node.js 24',
      withFunction({ Runtime: 'python3.13' }),
      'Echo (AWS::Lambda::Function): the property Runtime',
    ],
    [
      'a greedy path parameter',
      {
        Rest: {
          Type: 'AWS::ApiGateway::Resource',
          Properties: { PathPart: '{proxy+}', ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] } },
        },
      },
      'Rest (AWS::ApiGateway::Resource): the property PathPart: greedy path parameters are not emulated',
    ],
    [
      'an authorization type other than NONE',
      {
        EchoMethod: {
          Type: 'AWS::ApiGateway::Method',
          Properties: {
            HttpMethod: 'ANY',
            ResourceId: { Ref: 'EchoPath' },
            AuthorizationType: 'AWS_IAM',
            Integration: { Type: 'MOCK' },
          },
        },
      },
      'EchoMethod (AWS::ApiGateway::Method): the property AuthorizationType',
    ],
    [
      'a gateway response that cannot occur',
      { Odd: { Type: 'AWS::ApiGateway::GatewayResponse', Properties: { ResponseType: 'AUTHORIZER_FAILURE' } } },
      'Odd (AWS::ApiGateway::GatewayResponse): the property ResponseType',
    ],
    ['a condition', { Maybe: { Type: 'AWS::IAM::Role', Condition: 'Sometimes' } }, 'Condition'],
  ])('%s', (_, resources, message) => {
    expect(() => read(echoTemplate({ resources }))).toThrow(message);
  });

  test('several resources of unknown types, which are all listed', () => {
    const resources = { Stream: { Type: 'AWS::Kinesis::Stream' }, Pipe: { Type: 'AWS::Pipes::Pipe' } };
    expect(() => read(echoTemplate({ resources }))).toThrow(
      'the local stage does not emulate:\n  Stream: resources of type AWS::Kinesis::Stream\n  Pipe: resources of type AWS::Pipes::Pipe',
    );
  });

  test('a value that cannot be resolved', () => {
    const environment = { Environment: { Variables: { A: { 'Fn::ImportValue': 'x' } } } };
    expect(() => read(echoTemplate({ resources: withFunction(environment) }))).toThrow(
      'Echo.A: the local stage cannot resolve {"Fn::ImportValue":"x"}',
    );
  });

  test('two APIs', () => {
    const resources = { Other: { Type: 'AWS::ApiGateway::RestApi', Properties: {} } };
    expect(() => read(echoTemplate({ resources }))).toThrow('exactly one AWS::ApiGateway::RestApi; this one has 2');
  });
});

test('an integration with an alias calls the alias’s function, whose only version is the current code', () => {
  const live = {
    EchoVersion: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Echo' } } },
    EchoLive: {
      Type: 'AWS::Lambda::Alias',
      Properties: {
        Name: 'live',
        FunctionName: { Ref: 'Echo' },
        FunctionVersion: { 'Fn::GetAtt': ['EchoVersion', 'Version'] },
      },
    },
    EchoMethod: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        HttpMethod: 'GET',
        ResourceId: { Ref: 'EchoPath' },
        AuthorizationType: 'NONE',
        Integration: {
          Type: 'AWS_PROXY',
          IntegrationHttpMethod: 'POST',
          Uri: {
            'Fn::Join': [
              '',
              ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/', { Ref: 'EchoLive' }, '/invocations'],
            ],
          },
        },
      },
    },
  };
  const { resources, functions } = read(echoTemplate({ resources: live }));
  const called = resources.find(({ path }) => path === '/echo')?.methods.get('GET')?.functionName;
  expect(called).toBe('Echo-Echo');
  expect(functions.has('Echo-Echo')).toBe(true);
});

test('an alias of a fixed version is rejected, because the template does not have its code', () => {
  const Properties = { Name: 'live', FunctionName: { Ref: 'Echo' }, FunctionVersion: '7' };
  const resources = { EchoLive: { Type: 'AWS::Lambda::Alias', Properties } };
  expect(() => read(echoTemplate({ resources }))).toThrow(
    'EchoLive (AWS::Lambda::Alias): the property FunctionVersion',
  );
});
