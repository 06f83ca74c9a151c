import { CfnOutput, RemovalPolicy } from 'aws-cdk-lib';
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
import type { Settings } from '../config/settings.ts';

/**
 * One JSON line per request. It has the route's pattern instead of the path, and no query string, because that may contain the caller's key
 * (`subscription-key`). `requestId` and `lambdaRequestId` are also in the lines of the function's log. Clients may choose `requestId`, by a header, but not the other
 * two ids.
 */
const ACCESS_LOG_FORMAT = JSON.stringify({
  time: '$context.requestTimeEpoch',
  requestId: '$context.requestId',
  extendedRequestId: '$context.extendedRequestId',
  lambdaRequestId: '$context.awsEndpointRequestId',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  functionStatus: '$context.integration.status',
  lambdaStatus: '$context.integrationStatus',
  gatewayResponse: '$context.error.responseType',
  userAgent: '$context.identity.userAgent', // last, because it can be long, and API Gateway may cut an entry after 1 KB
});

interface StageLogs {
  readonly stage: StageOptions;
  readonly methods: MethodDeploymentOptions;
  readonly access: ILogGroup;
  readonly role: Pick<RestApiProps, 'cloudWatchRole' | 'cloudWatchRoleRemovalPolicy'>;
  /** Adds the log group for API Gateway's errors; API Gateway would otherwise create it without a retention period. */
  addErrorLog(api: RestApi): void;
}

/**
 * Adds the stage's access log. Everything that could record a URL with a key in it is off: X-Ray at the gateway (its segments contain the full URL; a sampled
 * X-Amzn-Trace-Id of the caller may start one nevertheless), and execution logs beyond errors or with data trace. Metrics by method are off because the
 * functions' own metrics, which are free, show the same.
 */
export function openStageLogs(scope: Construct, stageName: string, settings: Settings): StageLogs {
  const retained = { retention: settings.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY };
  const access = new LogGroup(scope, 'AccessLog', retained);
  new CfnOutput(scope, 'AccessLogName', { value: access.logGroupName, description: 'The log group of the access log' });
  return {
    access,
    stage: {
      accessLogDestination: new LogGroupLogDestination(access),
      accessLogFormat: AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      tracingEnabled: false,
    },
    methods: { loggingLevel: MethodLoggingLevel.ERROR, dataTraceEnabled: false, metricsEnabled: false },
    role: logRole(settings),
    addErrorLog: (api) => {
      // not api.deploymentStage.stageName, because the stage depends on the log group
      const logGroupName = `API-Gateway-Execution-Logs_${api.restApiId}/${stageName}`;
      const errors = new LogGroup(scope, 'GatewayErrorLog', { logGroupName, ...retained });
      api.deploymentStage.node.addDependency(errors);
      new CfnOutput(scope, 'GatewayErrorLogName', {
        value: errors.logGroupName,
        description: 'The log group of the errors of API Gateway',
      });
    },
  };
}

/**
 * API Gateway writes logs with a role that is set once per account and region. The role is retained when the stack is deleted, because the logs of other
 * stacks may depend on it by then.
 */
function logRole(settings: Settings): StageLogs['role'] {
  if (settings.apiGatewayAccountRole === 'existing') return { cloudWatchRole: false };
  return { cloudWatchRole: true, cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN };
}
