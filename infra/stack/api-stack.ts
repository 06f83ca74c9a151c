import { Aws, CfnOutput, RemovalPolicy, Size, Stack, type StackProps } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, type MethodDeploymentOptions, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { PROBLEMS } from '../../shared/lib/errors.ts';
import { CALLER_PARTITIONS } from '../config/partition-permissions.ts';
import { PAGES, ROUTES } from '../config/routes.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { addUserIdKey } from './add-user-id-key.ts';
import { ApiFunction } from './api-function.ts';
import { bundleHandlers } from './bundle-handlers.ts';
import { bundlePages } from './bundle-pages.ts';
import { addCanaryDeployments } from './canary.ts';
import { addCustomDomain } from './custom-domain.ts';
import { addFirewall } from './firewall.ts';
import { GATEWAY_HEADERS, GATEWAY_RESPONSES, gatewayBody, gatewayCorsHeaders } from './gateway-responses.ts';
import { Ingestion } from './ingestion.ts';
import { addAlarms } from './monitor/alarms.ts';
import { addDashboard } from './monitor/dashboard.ts';
import { openStageLogs } from './observability.ts';
import { pascalCase } from './pascal-case.ts';
import { addSigningKeys } from './signing-keys.ts';

/** The version segment with which every path of the contract begins. */
const STAGE_NAME = 'v2';

/** Smaller responses save at most a few hundred bytes, which is not worth the time of compressing them. */
const MIN_COMPRESSED = Size.bytes(1024);

/**
 * All types, so that API Gateway decodes a large page, which the function has compressed and encoded in base64, whatever the client sends in Accept. It
 * decodes only bodies that the function marks as base64. All request bodies arrive at the functions in base64 (decompressed before).
 */
const BINARY_MEDIA_TYPES = ['*/*'];

/** CDK adds a DependsOn for each function's role, which cfn-lint reports as redundant because the function also refers to the role. */
const LINTING = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };

/**
 * The whole service: the API, a function per route, one table, the keys in KMS, and the ingestion. Nothing has a fixed name, so that several stacks fit
 * into one account.
 */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly settings: Settings }) {
    super(scope, id, props);
    const { settings } = props;
    this.templateOptions.metadata = LINTING;
    const keep = settings.removalPolicy === 'retain';
    const removalPolicy = keep ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

    const table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
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
      minCompressionSize: MIN_COMPRESSED,
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
          ROUTES.filter((route) => route.throttle !== 'throttle').map((route) => [
            `${route.path}/${route.method}`,
            { ...logs.methods, ...throttling(settings[route.throttle]) },
          ]),
        ),
      },
    });
    logs.addErrorLog(api);
    const environment = {
      TIME_ZONE: settings.timeZone,
      CURRENCY: settings.currency,
      CORS_ORIGINS: JSON.stringify(settings.corsOrigins),
      KEY_LIMITS: JSON.stringify(settings.keyLimits),
      ATTRIBUTION: JSON.stringify(settings.attribution),
      MARKET_MIN_OTHERS: String(settings.marketMinOthers),
      JWT_ISSUER: settings.jwtIssuer ?? `urn:endcap:${Aws.STACK_NAME}`,
      JWT_AUDIENCE: settings.jwtAudience,
    };
    const functions = new Map<string, ApiFunction>();
    using bundles = bundleHandlers([...ROUTES.map((route) => route.function), PAGES.function]);
    for (const route of ROUTES) {
      const handler = new ApiFunction(this, pascalCase(route.function), {
        bundle: bundles.folderOf(route.function),
        memory: route.memory,
        timeout: route.timeout,
        environment,
        settings,
        logLevel: settings.logLevel,
        reservedConcurrency: settings.reservedConcurrency[route.function],
        provisionedConcurrency: settings.provisionedConcurrency[route.function],
      });
      functions.set(route.function, handler);
      if (route.reads !== 'none') {
        handler.allowReading(table, [...CALLER_PARTITIONS, ...route.reads]);
        handler.allowRecordingUse(table);
      }
      for (const permission of route.access) handler.allow(permission, { table, signingKeys });
      // ANY, so that the function responds to a wrong method with 405 and Allow; API Gateway would treat it as an unknown path
      api.root
        .resourceForPath(route.path)
        .addMethod('ANY', new LambdaIntegration(handler.live, { allowTestInvoke: false }));
    }
    if (settings.pages) {
      const bundle = bundles.folderOf(PAGES.function);
      bundlePages(bundle, `/${STAGE_NAME}`);
      const { timeZone, logLevel, reservedConcurrency, provisionedConcurrency } = settings;
      const pages = new ApiFunction(this, pascalCase(PAGES.function), {
        bundle,
        memory: PAGES.memory,
        timeout: PAGES.timeout,
        environment: { TIME_ZONE: timeZone },
        settings,
        logLevel,
        reservedConcurrency: reservedConcurrency[PAGES.function],
        provisionedConcurrency: provisionedConcurrency[PAGES.function],
      });
      functions.set(PAGES.function, pages);
      for (const path of PAGES.paths) {
        api.root.resourceForPath(path).addMethod('ANY', new LambdaIntegration(pages.live, { allowTestInvoke: false }));
      }
    }
    const userIdKey = addUserIdKey(this, settings, table.tableName, removalPolicy);
    const ingestion = new Ingestion(this, 'Ingestion', { settings, table, userIdKey, removalPolicy });
    const cors = gatewayCorsHeaders(settings.corsOrigins);
    for (const response of GATEWAY_RESPONSES) {
      api.addGatewayResponse(pascalCase(response.type.responseType), {
        type: response.type,
        ...(response.usualStatus === undefined ? { statusCode: String(PROBLEMS[response.code].status) } : {}),
        responseHeaders: quoted({ ...GATEWAY_HEADERS, ...cors, ...response.headers }),
        templates: { 'application/json': gatewayBody(response) },
      });
    }
    const monitored = { api, table, functions, ingestion, accessLog: logs.access };
    const errorAlarms = addAlarms(this, monitored, settings);
    if (settings.deployment === 'canary') addCanaryDeployments(this, functions, errorAlarms);
    addDashboard(this, monitored);
    if (settings.waf !== 'off') addFirewall(this, api.deploymentStage, settings.waf, settings.logRetentionDays);
    if (settings.customDomain !== undefined) {
      addCustomDomain(this, { api, stageName: STAGE_NAME }, settings.customDomain);
    }
    acknowledgeFindings(this);

    new CfnOutput(this, 'Url', { value: api.url.replace(/\/$/, ''), description: 'The base URL of the API' });
    new CfnOutput(this, 'TableName', {
      value: table.tableName,
      description: 'The table, for npm run load and npm run key',
    });
  }
}

function throttling({ rate, burst }: Settings['throttle']): MethodDeploymentOptions {
  return { throttlingRateLimit: rate, throttlingBurstLimit: burst };
}

/** @returns header values in single quotes, with which gateway responses mark literals */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
