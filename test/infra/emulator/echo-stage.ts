import { join } from 'node:path';
import { type Gateway, openGateway } from '../../../infra/emulator/gateway.ts';
import { createGatewayServer, type GatewayServer } from '../../../infra/emulator/gateway-server.ts';
import { readTemplate } from '../../../infra/emulator/template/read-template.ts';

interface Throttle {
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** The properties that differ between tests. */
export interface EchoOptions {
  readonly functionSeconds?: number;
  readonly integrationMs?: number;
  readonly maxInstances?: number;
  readonly idleMs?: number;
  readonly method?: string;
  readonly handler?: string;
  readonly api?: Readonly<Record<string, unknown>>;
  readonly throttle?: Throttle;
  readonly throttleOfParts?: Throttle;
  /** Further resources of the template. */
  readonly resources?: Readonly<Record<string, unknown>>;
}

/** A gateway with the stage `v9` and one echo function at `/echo` and `/things/{thing}/parts`. */
export interface EchoStage extends GatewayServer {
  /** Sends a request to a path of the stage. */
  send(
    path: string,
    request?: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
  ): Promise<EchoResponse>;
  readonly reject: Gateway['reject'];
  readonly logs: string[];
}

interface EchoResponse {
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
        TimeoutInMillis: options.integrationMs ?? LONG_TIMEOUT_S * 1_000,
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
              : [{ HttpMethod: 'GET', ResourcePath: '/~1things~1{thing}~1parts', ...options.throttleOfParts }]),
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
          Timeout: options.functionSeconds ?? LONG_TIMEOUT_S,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's placeholders
          Environment: { Variables: { OWN: { 'Fn::Sub': '${AWS::StackName}/${Api}' } } },
        },
      },
      ...options.resources,
    },
  };
}

/** Long enough that a busy machine never reaches it. */
const LONG_TIMEOUT_S = 900;
const INVOKE = ':lambda:path/2015-03-31/functions/';

export function openEchoStage(options: EchoOptions = {}): EchoStage {
  const assetFolder = () => join(import.meta.dirname, 'echo');
  const logs: string[] = [];
  const gateway = openGateway(readTemplate(echoTemplate(options), { stackName: 'Echo', assetFolder }), {
    environment: { ADDED: 'by the gateway' },
    onLog: (text) => logs.push(text),
    ...(options.maxInstances === undefined ? {} : { maxInstances: options.maxInstances }),
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
  });
  const server = createGatewayServer(gateway);
  return {
    ...server,
    reject: gateway.reject,
    logs,
    send: async (path, request = {}) => {
      const { status, headers, body } = await server.request({ ...request, url: `/v9${path}` });
      return { status, headers, text: body.toString() };
    },
    close: async () => {
      await server.close();
      await gateway.close();
    },
  };
}
