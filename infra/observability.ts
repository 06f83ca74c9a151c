import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  LogGroupLogDestination,
  MethodLoggingLevel,
  type RestApiProps,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

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
  gatewayAnswer: '$context.error.responseType',
});

/**
 * The stage's own logs and metrics. Whatever could hold a URL with a key in it stays off: X-Ray at the gateway (its segments hold the full
 * URL; functions may be traced), and execution logs beyond errors or with data trace.
 */
export function accessLog(scope: Construct, settings: Settings): StageOptions {
  const logGroup = new LogGroup(scope, 'AccessLog', {
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup),
    accessLogFormat: AccessLogFormat.custom(ACCESS_LOG_FORMAT),
    loggingLevel: MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    tracingEnabled: false,
    metricsEnabled: true,
  };
}

/**
 * API Gateway writes logs under a role that is set once per account and region. Whoever makes it must leave it behind: another stack's
 * logs depend on it by then.
 */
export function logRole(
  settings: Settings,
): Required<Pick<RestApiProps, 'cloudWatchRole'>> & Pick<RestApiProps, 'cloudWatchRoleRemovalPolicy'> {
  if (settings.apiGatewayAccountRole === 'existing') return { cloudWatchRole: false };
  return { cloudWatchRole: true, cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN };
}
