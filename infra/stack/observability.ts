import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  type RestApi,
  type RestApiProps,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * One JSON line a request. The route's pattern stands for the path, and the query string is nowhere: it may hold the caller's key
 * (`subscription-key`). `$context.path` and `$context.requestTime` would add nothing that is needed.
 */
const ACCESS_LOG_FORMAT = JSON.stringify({
  time: '$context.requestTimeEpoch',
  requestId: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  functionStatus: '$context.integrationStatus',
  gatewayResponse: '$context.error.responseType',
});

/** Where the stage writes, and as whom. */
export interface StageLogs {
  readonly stage: StageOptions;
  /** For the methods, all or one. */
  readonly methods: MethodDeploymentOptions;
  readonly access: ILogGroup;
  readonly role: Pick<RestApiProps, 'cloudWatchRole' | 'cloudWatchRoleRemovalPolicy'>;
  /** API Gateway makes the group for its errors by itself and keeps it for ever, unless it is there already. */
  keepErrorsOf(api: RestApi): void;
}

/**
 * The stage's own logs and metrics. Whatever could hold a URL with a key in it stays off: X-Ray at the gateway (its segments hold the full
 * URL), and execution logs beyond errors or with data trace. Metrics by method stay off because the functions' own, which cost nothing, say the same.
 */
export function openStageLogs(scope: Construct, stageName: string, settings: Settings): StageLogs {
  const kept = { retention: settings.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY };
  const access = new LogGroup(scope, 'AccessLog', kept);
  return {
    access,
    stage: {
      accessLogDestination: new LogGroupLogDestination(access),
      accessLogFormat: AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      tracingEnabled: false,
    },
    methods: { loggingLevel: MethodLoggingLevel.ERROR, dataTraceEnabled: false, metricsEnabled: false },
    role: logRole(settings),
    keepErrorsOf: (api) => {
      // by the name itself, not by the stage's: the stage comes after the group
      const logGroupName = `API-Gateway-Execution-Logs_${api.restApiId}/${stageName}`;
      api.deploymentStage.node.addDependency(new LogGroup(scope, 'GatewayErrorLog', { logGroupName, ...kept }));
    },
  };
}

/**
 * API Gateway writes logs under a role that is set once per account and region. Whoever makes it must leave it behind: another stack's
 * logs depend on it by then.
 */
function logRole(settings: Settings): StageLogs['role'] {
  if (settings.apiGatewayAccountRole === 'existing') return { cloudWatchRole: false };
  return { cloudWatchRole: true, cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN };
}
