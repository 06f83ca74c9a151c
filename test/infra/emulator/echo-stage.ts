import { join } from 'node:path';
import { openGateway, type Stage } from '../../../infra/emulator/gateway.ts';
import { createGatewayServer, type GatewayServer } from '../../../infra/emulator/gateway-server.ts';
import { readTemplate } from '../../../infra/emulator/template/read-template.ts';

interface Throttle {
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** The properties that the tests vary. */
export interface EchoOptions {
  readonly functionSeconds?: number;
  readonly integrationMs?: number;
  readonly maxInstances?: number;
  readonly method?: string;
  readonly handler?: string;
  readonly api?: Readonly<Record<string, unknown>>;
  readonly throttle?: Throttle;
  readonly throttleOfParts?: Throttle;
  /** More resources of the template. */
  readonly resources?: Readonly<Record<string, unknown>>;
}

/** A stage `v9` of one echo function under `/echo` and `/things/{thing}/parts`. */
export interface EchoStage extends GatewayServer {
  /** @returns status, headers and the parsed body of a request under the stage */
  ask(
    path: string,
    request?: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
  ): Promise<EchoAnswer>;
  readonly refuse: Stage['refuse'];
  readonly logs: string[];
}

export interface EchoAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export function echoTemplate(options: EchoOptions = {}): object {
  const method = (resource: string) => ({
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      HttpMethod: options.method ?? 'ANY',
      ResourceId: { Ref: resource },
      RestApiId: { Ref: 'Api' },
      AuthorizationType: 'NONE',
      Integration: {
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        ...(options.integrationMs === undefined ? {} : { TimeoutInMillis: options.integrationMs }),
        Uri: {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':apigateway:',
              { Ref: 'AWS::Region' },
              INVOKE,
              { 'Fn::GetAtt': ['Echo', 'Arn'] },
              '/invocations',
            ],
          ],
        },
      },
    },
  });
  const resource = (part: string, parent: unknown) => ({
    Type: 'AWS::ApiGateway::Resource',
    Properties: { PathPart: part, ParentId: parent, RestApiId: { Ref: 'Api' } },
  });
  const root = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
  return {
    Resources: {
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'echo', ...options.api } },
      Stage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: {
          StageName: 'v9',
          RestApiId: { Ref: 'Api' },
          MethodSettings: [
            { HttpMethod: '*', ResourcePath: '/*', ...options.throttle },
            ...(options.throttleOfParts === undefined
              ? []
              : [{ HttpMethod: 'ANY', ResourcePath: '/~1things~1{thing}~1parts', ...options.throttleOfParts }]),
          ],
        },
      },
      EchoPath: resource('echo', root),
      Things: resource('things', root),
      Thing: resource('{thing}', { Ref: 'Things' }),
      Parts: resource('parts', { Ref: 'Thing' }),
      EchoMethod: method('EchoPath'),
      PartsMethod: method('Parts'),
      Echo: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Code: { S3Bucket: 'assets', S3Key: 'abc.zip' },
          Handler: options.handler ?? 'index.handler',
          Runtime: 'nodejs24.x',
          MemorySize: 256,
          Timeout: options.functionSeconds ?? 5,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's placeholders
          Environment: { Variables: { OWN: { 'Fn::Sub': '${AWS::StackName}/${Api}' } } },
        },
      },
      ...options.resources,
    },
  };
}

const INVOKE = ':lambda:path/2015-03-31/functions/';

export function openEchoStage(options: EchoOptions = {}): EchoStage {
  const assetFolder = () => join(import.meta.dirname, 'echo');
  const logs: string[] = [];
  const stage = openGateway(readTemplate(echoTemplate(options), { stackName: 'Echo', assetFolder }), {
    environment: { GIVEN: 'by the stage' },
    onLog: (text) => logs.push(text),
    ...(options.maxInstances === undefined ? {} : { maxInstances: options.maxInstances }),
  });
  const server = createGatewayServer(stage);
  return {
    ...server,
    refuse: stage.refuse,
    logs,
    ask: async (path, request = {}) => {
      const { status, headers, body } = await server.request({ ...request, url: `/v9${path}` });
      return { status, headers, text: body.toString() };
    },
    close: async () => {
      await server.close();
      await stage.close();
    },
  };
}
