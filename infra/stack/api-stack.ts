import { Aws, CfnOutput, RemovalPolicy, Size, Stack, type StackProps } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, type MethodDeploymentOptions, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { PROBLEMS } from '../../shared/lib/errors.ts';
import { ROUTES } from '../routes.ts';
import type { Settings } from '../settings.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { addAlarms } from './alarms.ts';
import { ApiFunction } from './api-function.ts';
import { bundleHandlers } from './bundle-handlers.ts';
import { addCustomDomain } from './custom-domain.ts';
import { addDashboard } from './dashboard.ts';
import { addFirewall } from './firewall.ts';
import { GATEWAY_HEADERS, GATEWAY_RESPONSES, gatewayBody } from './gateway-responses.ts';
import { Ingestion } from './ingestion.ts';
import { openStageLogs } from './observability.ts';
import { CALLER_PARTITIONS } from './partitions.ts';

/** The version segment that every path of the contract begins with. */
const STAGE_NAME = 'v2';

/** Answers below this are not worth compressing: a header and a dictionary cost as much as they save. */
const MIN_COMPRESSED = Size.bytes(1024);

/** CDK has each function wait for its role, as well as refer to it; cfn-lint finds the first superfluous. */
const LINTING = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };

/** The whole service: one table, one signing key, a function per route, the API before them. Nothing in it has a fixed name, so stages can share an account. */
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
      ...(settings.warmThroughput === undefined ? {} : { warmThroughput: settings.warmThroughput }),
      // not even a first deploy that fails may delete a protected table, and would end half-way if it tried
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const signingKey = new Key(this, 'SigningKey', {
      description: 'Signs the tokens of GET /jwt (ES256)',
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });

    const logs = openStageLogs(this, STAGE_NAME, settings);
    const api = new RestApi(this, 'Api', {
      restApiName: this.stackName, // metrics are kept by this name, so two stages must not share it
      description: 'Advertising platform API',
      endpointTypes: [EndpointType.REGIONAL],
      minCompressionSize: MIN_COMPRESSED,
      ...logs.role,
      deployOptions: {
        stageName: STAGE_NAME,
        ...logs.stage,
        ...logs.methods,
        ...letThrough(settings.throttle),
        // a method's settings replace those of the stage: they are told again
        methodOptions: Object.fromEntries(
          ROUTES.filter((route) => route.throttle !== 'throttle').map((route) => [
            `${route.path}/ANY`,
            { ...logs.methods, ...letThrough(settings[route.throttle]) },
          ]),
        ),
      },
    });
    logs.keepErrorsOf(api);
    const environment = {
      TIME_ZONE: settings.timeZone,
      CURRENCY: settings.currency,
      ATTRIBUTION: JSON.stringify(settings.attribution),
      JWT_ISSUER: settings.jwtIssuer ?? `urn:endcap:${Aws.STACK_NAME}`,
      JWT_AUDIENCE: settings.jwtAudience,
    };
    const functions = new Map<string, ApiFunction>();
    using bundles = bundleHandlers(ROUTES.map((route) => route.function));
    for (const route of ROUTES) {
      const handler = new ApiFunction(this, pascalCase(route.function), {
        bundle: bundles.folderOf(route.function),
        memory: route.memory,
        timeout: route.timeout,
        environment,
        logRetention: settings.logRetentionDays,
        reservedConcurrency: settings.reservedConcurrency[route.function],
      });
      functions.set(route.function, handler);
      handler.allowReading(table, [...CALLER_PARTITIONS, ...route.reads]);
      for (const right of route.access) handler.allow(right, { table, signingKey });
      // ANY: the function answers a wrong method itself with 405 and Allow; API Gateway would call it an unknown path.
      api.root.resourceForPath(route.path).addMethod('ANY', new LambdaIntegration(handler, { allowTestInvoke: false }));
    }
    const ingestion = new Ingestion(this, 'Ingestion', { settings, table, removalPolicy });
    for (const answer of GATEWAY_RESPONSES) {
      api.addGatewayResponse(pascalCase(answer.type.responseType), {
        type: answer.type,
        statusCode: String(PROBLEMS[answer.code].status),
        responseHeaders: quoted({ ...GATEWAY_HEADERS, ...answer.headers }),
        templates: { 'application/json': gatewayBody(answer) },
      });
    }
    const watched = { api, table, functions };
    addAlarms(this, watched, settings, ingestion.alarms);
    addDashboard(this, watched, logs.access);
    if (settings.waf !== undefined) addFirewall(this, api.deploymentStage, settings.waf, settings.logRetentionDays);
    if (settings.customDomain !== undefined) {
      addCustomDomain(this, { api, stageName: STAGE_NAME }, settings.customDomain);
    }
    acknowledgeFindings(this);

    new CfnOutput(this, 'Url', { value: api.url.replace(/\/$/, ''), description: 'The base address of the API' });
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'For npm run load and npm run key' });
    new CfnOutput(this, 'SigningKeyId', { value: signingKey.keyId, description: 'The key that signs tokens' });
  }
}

function letThrough({ rate, burst }: Settings['throttle']): MethodDeploymentOptions {
  return { throttlingRateLimit: rate, throttlingBurstLimit: burst };
}

/** `list-accounts` and `DEFAULT_4XX` as parts of construct ids. */
function pascalCase(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}

/** Header values as gateway responses take them: a literal stands in single quotes. */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
