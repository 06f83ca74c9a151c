import { join } from 'node:path';
import { Aws, CfnOutput, RemovalPolicy, Size, Stack, type StackProps } from 'aws-cdk-lib';
import {
  EndpointType,
  LambdaIntegration,
  type MethodDeploymentOptions,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { GATEWAY_RESPONSES, gatewayBody, gatewayHeaders, gatewayStatus } from '../config/gateway-responses.ts';
import { CALLER_PARTITIONS } from '../config/partition-permissions.ts';
import { MCP, ROUTES } from '../config/routes.ts';
import {
  BINARY_MEDIA_TYPES,
  MIN_COMPRESSED_BYTES,
  STAGE_NAME,
  serviceFunctions,
  TABLE_KEYS,
} from '../config/service.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { addUserIdKey } from './add-user-id-key.ts';
import { ApiFunction } from './api-function.ts';
import { addCanaryDeployments } from './canary.ts';
import { addCustomDomain } from './custom-domain.ts';
import { addFirewall } from './firewall.ts';
import { Ingestion } from './ingestion.ts';
import { addAlarms } from './monitor/alarms.ts';
import { addBudget } from './monitor/budget.ts';
import { addDashboard } from './monitor/dashboard.ts';
import { openStageLogs } from './observability.ts';
import { encryptWithOwnKey } from './own-key.ts';
import { pascalCase } from './pascal-case.ts';
import { ServiceCheck } from './service-check.ts';
import { addSigningKeys } from './signing-keys.ts';

/** CDK adds a DependsOn for each function's role, which cfn-lint reports as redundant because the function also refers to the role. */
const LINTING = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };

/**
 * The whole service: the API, a function per route, one table, the keys in KMS, and the ingestion. Nothing has a fixed name, so that several stacks fit
 * into one account.
 */
export class ApiStack extends Stack {
  /** @param props.bundles the folder with a folder per function, of the name of its file */
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & { readonly settings: Settings; readonly bundles: string },
  ) {
    super(scope, id, props);
    const { settings, bundles } = props;
    this.templateOptions.metadata = LINTING;
    const { maxReadUnitsPerSecond } = settings;
    const keep = settings.removalPolicy === 'retain';
    const removalPolicy = keep ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

    const table = new TableV2(this, 'Table', {
      partitionKey: { name: TABLE_KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: TABLE_KEYS.sort, type: AttributeType.STRING },
      billing: Billing.onDemand(
        maxReadUnitsPerSecond === undefined ? {} : { maxReadRequestUnits: maxReadUnitsPerSecond },
      ),
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: keep,
      // RETAIN, because the rollback of a failed first deployment cannot delete a protected table
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const signingKeys = addSigningKeys(this, settings.signingKeys, removalPolicy);

    const logs = openStageLogs(this, STAGE_NAME, settings);
    const api = new RestApi(this, 'Api', {
      restApiName: this.stackName, // the dimension of the API's metrics, so two stacks must not share it
      description: 'Advertising platform API',
      endpointTypes: [EndpointType.REGIONAL],
      minCompressionSize: Size.bytes(MIN_COMPRESSED_BYTES),
      binaryMediaTypes: [...BINARY_MEDIA_TYPES],
      ...logs.role,
      deployOptions: {
        stageName: STAGE_NAME,
        ...logs.stage,
        ...logs.methods,
        ...throttling(settings.throttle),
        // A method's settings replace all of the stage's, so they repeat those for logs. API Gateway rejects `ANY` here, although it is the resource's
        // method: the route's method has the route's limits, and all others have the stage's.
        methodOptions: Object.fromEntries(
          [...methodThrottles(settings)].map(([method, limits]) => [
            method,
            { ...logs.methods, ...throttling(limits) },
          ]),
        ),
      },
    });
    logs.addErrorLog(api);
    const { current, accepted } = signingKeys;
    const functions = new Map<string, ApiFunction>();
    const names = {
      stackName: Aws.STACK_NAME,
      tableName: table.tableName,
      signingKeyIds: [current, ...accepted].map(({ keyId }) => keyId),
    };
    for (const { name, paths, route, memory, timeout, environment } of serviceFunctions(settings, names)) {
      const handler = new ApiFunction(this, pascalCase(name), {
        bundle: join(bundles, name),
        memory,
        timeout,
        environment,
        settings,
        logLevel: settings.logLevel,
        concurrency: settings.concurrency[name],
      });
      functions.set(name, handler);
      if (route !== undefined && route.reads !== 'none') {
        handler.allowReading(table, [...CALLER_PARTITIONS, ...route.reads]);
        handler.allowRecordingUse(table);
      }
      for (const permission of route?.access ?? []) handler.allow(permission, { table, signingKeys });
      // ANY, so that the function responds to a wrong method with 405 and Allow; API Gateway would treat it as an unknown path
      for (const path of paths) {
        api.root
          .resourceForPath(path)
          .addMethod('ANY', new LambdaIntegration(handler.live, { allowTestInvoke: false }));
      }
    }
    const userIdKey = addUserIdKey(this, settings, table.tableName, removalPolicy);
    const ingestion = new Ingestion(this, 'Ingestion', { bundles, settings, table, userIdKey, removalPolicy });
    for (const response of GATEWAY_RESPONSES) {
      const status = gatewayStatus(response);
      api.addGatewayResponse(pascalCase(response.type), {
        type: ResponseType.of(response.type),
        ...(status === undefined ? {} : { statusCode: String(status) }),
        responseHeaders: quoted(gatewayHeaders(response, settings.corsOrigins)),
        templates: { 'application/json': gatewayBody(response) },
      });
    }
    const isCanary = settings.deployment === 'canary';
    // not api.url, which refers to the stage: that depends on the aliases, whose deployments depend on the check
    const host = settings.customDomain?.name ?? `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}`;
    const url = `https://${host}/${STAGE_NAME}`;
    const check =
      settings.probe || isCanary ? new ServiceCheck(this, 'Check', { settings, bundles, url, functions }) : undefined;
    const monitored = { api, table, functions, ingestion, accessLog: logs.access, bundles, check };
    const errorAlarms = addAlarms(this, monitored, settings);
    if (isCanary && check !== undefined) addCanaryDeployments(this, functions, check, errorAlarms);
    addDashboard(this, monitored);
    if (settings.budget !== undefined) addBudget(this, settings.budget);
    if (settings.waf !== 'off') addFirewall(this, api.deploymentStage, settings.waf, settings.logRetentionDays);
    if (settings.customDomain !== undefined) {
      addCustomDomain(this, { api, stageName: STAGE_NAME }, settings.customDomain);
    }
    if (settings.customerManagedKey) encryptWithOwnKey(this, settings, removalPolicy);
    acknowledgeFindings(this);

    new CfnOutput(this, 'Url', { value: api.url.replace(/\/$/, ''), description: 'The base URL of the API' });
    new CfnOutput(this, 'TableName', {
      value: table.tableName,
      description: 'The table, for npm run load and npm run key',
    });
  }
}

/**
 * @returns by path and method, such as `/report/{experience_name}/POST`, the limits of methods that have limits of their own; all others, also other methods of
 * the same path, have the setting `throttle`
 */
function methodThrottles(
  settings: Pick<Settings, 'throttle' | 'reportThrottle'>,
): ReadonlyMap<string, Settings['throttle']> {
  return new Map(
    [...ROUTES, MCP]
      .filter((route) => route.throttle !== 'throttle')
      .map((route) => [`${route.path}/${route.method}`, settings[route.throttle]]),
  );
}

function throttling({ rate, burst }: Settings['throttle']): MethodDeploymentOptions {
  return { throttlingRateLimit: rate, throttlingBurstLimit: burst };
}

/** @returns header values in single quotes, with which gateway responses mark literals */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
