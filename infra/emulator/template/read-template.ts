import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './pseudo-parameters.ts';
import { type ResourceValues, ValueResolver } from './resolve-value.ts';
import type {
  FunctionDefinition,
  GatewayResponseDefinition,
  IntegrationDefinition,
  ResourceDefinition,
  StageDefinition,
  Throttles,
} from './stage-definition.ts';
import { type EmulatedResources, type EmulatedType, type MethodSetting, readResources } from './template-schema.ts';

/** API Gateway's default integration timeout. */
const DEFAULT_INTEGRATION_MS = 29_000;
const API_ID = 'localstage';
const ROOT_ID = 'root';

/**
 * @param folder a cloud assembly: the output of `cdk synth`
 * @param stackId the id of the stack in the app
 * @returns the definition that `readTemplate` reads from the stack's template
 * @throws Error if the folder has no such stack, or lacks an asset of it; otherwise as `readTemplate`
 */
export function readAssembly(folder: string, stackId: string): StageDefinition {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { artifacts } = Manifest.parse(read('manifest.json'));
  const stack = artifacts[stackId];
  if (stack?.properties?.templateFile === undefined) throw new Error(`${folder} has no stack ${stackId}`);
  const { files } = Assets.parse(read(`${stackId}.assets.json`));
  return readTemplate(read(stack.properties.templateFile), {
    stackName: stack.properties.stackName ?? stackId,
    assetFolder: (hash) => {
      const path = files[hash]?.source.path;
      if (path === undefined) throw new Error(`${folder} has no asset ${hash}`);
      return join(folder, path);
    },
  });
}

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      properties: z.object({ templateFile: z.string().optional(), stackName: z.string().optional() }).optional(),
    }),
  ),
});
const Assets = z.object({
  files: z.record(z.string(), z.object({ source: z.object({ path: z.string().optional() }) })),
});

/**
 * @param options.assetFolder the folder that holds the asset with the given hash
 * @returns everything the local stage needs
 * @throws ZodError if a resource has an unknown attribute, such as Condition; otherwise an Error that lists every resource type and property that the
 * local stage does not emulate, or names a value that it cannot resolve or a resource that is missing or not the only one of its type
 */
export function readTemplate(
  template: unknown,
  options: { readonly stackName: string; readonly assetFolder: (hash: string) => string },
): StageDefinition {
  const resources = readResources(template);
  const resolver = new ValueResolver(nameResources(resources, options.stackName), options.stackName);
  const api = single(resources.all('AWS::ApiGateway::RestApi'), 'AWS::ApiGateway::RestApi');
  const stage = single(resources.all('AWS::ApiGateway::Stage'), 'AWS::ApiGateway::Stage');
  return {
    stageName: stage.StageName,
    apiId: API_ID,
    resources: readPaths(resources, resolver),
    functions: readFunctions(resources, resolver, options),
    gatewayResponses: readGatewayResponses(resources),
    binaryMediaTypes: api.BinaryMediaTypes ?? [],
    minimumCompressionSize: api.MinimumCompressionSize,
    throttles: readThrottles(stage.MethodSettings ?? []),
    tables: resources.all('AWS::DynamoDB::GlobalTable').map(([id, table]) => ({
      name: resolver.text({ Ref: id }, id),
      attributes: table.AttributeDefinitions,
      keys: table.KeySchema,
    })),
    signingKeys: resources
      .all('AWS::KMS::Key')
      .filter(([, { KeyUsage }]) => KeyUsage === 'SIGN_VERIFY')
      .map(([id]) => ({ id: resolver.text({ Ref: id }, id) })),
  };
}

/** The number of each function's only version: the current code. */
const LOCAL_VERSION = '1';

/** Derives names from the stack's name and the logical ids, so that they are readable in logs and stable between starts. */
function nameResources(resources: EmulatedResources, stackName: string): ResourceValues {
  const arn = (service: string, name: string) => `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${name}`;
  const inStack = (id: string) => `${stackName}-${id}`;
  const bucketName = (id: string) => inStack(id).toLowerCase();
  const queueUrl = (id: string) => `https://sqs.${LOCAL_REGION}.amazonaws.com/${LOCAL_ACCOUNT}/${inStack(id)}`;
  const withArn = (ref: string, value: string) => ({ ref, attributes: { Arn: value } });
  const entries = <Name>(type: EmulatedType, name: (id: string) => Name) =>
    resources.all(type).map(([id]) => [id, name(id)] as const);
  return new Map<string, { ref: string; attributes: Record<string, string> }>([
    ...entries('AWS::ApiGateway::RestApi', () => ({ ref: API_ID, attributes: { RootResourceId: ROOT_ID } })),
    ...entries('AWS::ApiGateway::Resource', (id) => ({ ref: id, attributes: {} })),
    ...entries('AWS::Lambda::Function', (id) => withArn(inStack(id), arn('lambda', `function:${inStack(id)}`))),
    ...resources.all('AWS::Lambda::Version').map(([id, { FunctionName }]) => {
      const ref = arn('lambda', `function:${inStack(FunctionName.Ref)}:${LOCAL_VERSION}`);
      return [id, { ref, attributes: { Version: LOCAL_VERSION } }] as const;
    }),
    ...resources.all('AWS::Lambda::Alias').map(([id, { FunctionName, Name }]) => {
      const ref = arn('lambda', `function:${inStack(FunctionName.Ref)}:${Name}`);
      return [id, { ref, attributes: {} }] as const;
    }),
    ...entries('AWS::DynamoDB::GlobalTable', (id) => withArn(inStack(id), arn('dynamodb', `table/${inStack(id)}`))),
    ...entries('AWS::S3::Bucket', (id) => withArn(bucketName(id), `arn:aws:s3:::${bucketName(id)}`)),
    ...entries('AWS::SQS::Queue', (id) => withArn(queueUrl(id), arn('sqs', inStack(id)))),
    ...entries('AWS::KMS::Key', (id) => withArn(id, arn('kms', `key/${id}`))),
  ]);
}

/** @returns the resources of the API that have methods */
function readPaths(resources: EmulatedResources, resolver: ValueResolver): ResourceDefinition[] {
  const parts = new Map(
    resources
      .all('AWS::ApiGateway::Resource')
      .map(([id, { ParentId, PathPart }]) => [id, { parent: resolver.text(ParentId, id), part: PathPart }]),
  );
  const pathOf = (id: string): string => {
    const own = parts.get(id);
    return own === undefined ? '' : `${pathOf(own.parent)}/${own.part}`;
  };
  const methods = new Map<string, Map<string, IntegrationDefinition>>();
  for (const [id, method] of resources.all('AWS::ApiGateway::Method')) {
    const resource = resolver.text(method.ResourceId, id);
    const methodsOfResource = methods.get(resource) ?? new Map<string, IntegrationDefinition>();
    methods.set(resource, methodsOfResource);
    methodsOfResource.set(method.HttpMethod, {
      functionName: calledFunction(resolver.text(method.Integration.Uri, id), id),
      timeoutMs: method.Integration.TimeoutInMillis ?? DEFAULT_INTEGRATION_MS,
    });
  }
  return [...methods].map(([id, byMethod]) => ({ id, path: pathOf(id) || '/', methods: byMethod }));
}

/** API Gateway's default burst limit. */
const DEFAULT_BURST = 5_000;

function readThrottles(settings: readonly MethodSetting[]): Throttles {
  return new Map(
    settings.map(({ ResourcePath, HttpMethod, ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) => {
      // `/~1report~1{name}` is the path `/report/{name}`: its slashes are escaped as in a JSON Pointer, after a leading slash
      const path = ResourcePath.replace(/^\/~1/, '/').replaceAll('~1', '/');
      return [`${path} ${HttpMethod}`, rate === undefined ? undefined : { rate, burst: burst ?? DEFAULT_BURST }];
    }),
  );
}

/**
 * @param uri of an integration
 * @returns the name of the Lambda function that it calls
 * @throws Error if it calls anything else
 */
function calledFunction(uri: string, where: string): string {
  // an alias points to the only version, which is the function's current code
  const name = /:lambda:path\/2015-03-31\/functions\/arn:[^/]*:function:([^/:]+)(?::[^/:]+)?\/invocations$/.exec(
    uri,
  )?.[1];
  if (name === undefined) throw new Error(`${where}: the local stage can call only Lambda functions, not ${uri}`);
  return name;
}

function readFunctions(
  resources: EmulatedResources,
  resolver: ValueResolver,
  options: { readonly assetFolder: (hash: string) => string },
): Map<string, FunctionDefinition> {
  return new Map(
    resources.all('AWS::Lambda::Function').map(([id, properties]) => {
      const name = resolver.text({ Ref: id }, id);
      const variables = Object.entries(properties.Environment?.Variables ?? {});
      const definition: FunctionDefinition = {
        name,
        folder: options.assetFolder(properties.Code.S3Key.replace(/\.zip$/, '')),
        handler: properties.Handler,
        memoryMb: properties.MemorySize,
        timeoutMs: properties.Timeout * 1000,
        logLevel: properties.LoggingConfig?.ApplicationLogLevel ?? 'INFO',
        environment: Object.fromEntries(variables.map(([key, value]) => [key, resolver.text(value, `${id}.${key}`)])),
      };
      return [name, definition];
    }),
  );
}

function readGatewayResponses(resources: EmulatedResources): StageDefinition['gatewayResponses'] {
  return new Map(
    resources.all('AWS::ApiGateway::GatewayResponse').map(([, properties]) => {
      const headers = Object.entries(properties.ResponseParameters ?? {});
      const definition: GatewayResponseDefinition = {
        statusCode: properties.StatusCode === undefined ? undefined : Number(properties.StatusCode),
        headers: Object.fromEntries(headers.map(([name, text]) => [name.replace('gatewayresponse.header.', ''), text])),
        template: properties.ResponseTemplates?.['application/json'],
      };
      return [properties.ResponseType, definition];
    }),
  );
}

/** @throws Error unless there is exactly one */
function single<T>(found: readonly (readonly [string, T])[], type: string): T {
  const [first, second] = found;
  if (first === undefined || second !== undefined) {
    throw new Error(`the local stage needs a template with exactly one ${type}; this one has ${found.length}`);
  }
  return first[1];
}
