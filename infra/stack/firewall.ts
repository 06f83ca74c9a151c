import { CfnOutput, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';
import { FIREWALL_METRIC } from './monitor/monitored-resources.ts';

/** The headers that may contain a key or a token. */
const SECRET_HEADERS = ['ocp-apim-subscription-key', 'authorization'];

/** Allowed requests are in the API's own access log; logging them here too would cost more than inspecting them. */
const KEEP_BLOCKED_ONLY = {
  DefaultBehavior: 'DROP',
  Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
};

/**
 * Adds the firewall. Its two rules look at IP addresses only: rules that inspect requests (injection, scripts) log what they match, which may be a
 * key, and their size limits would block requests with large bodies. Sampling is off, because samples contain whole URLs.
 */
export function addFirewall(
  scope: Construct,
  stage: Stage,
  { requestsPerFiveMinutes }: Exclude<Settings['waf'], 'off'>,
  logRetentionDays: Settings['logRetentionDays'],
): void {
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility(FIREWALL_METRIC),
    rules: [
      {
        name: 'IpReputation',
        priority: 0,
        overrideAction: { none: {} },
        statement: { managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' } },
        visibilityConfig: visibility('IpReputation'),
      },
      {
        name: 'TooManyRequests',
        priority: 1,
        action: { block: {} },
        statement: {
          rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerFiveMinutes, evaluationWindowSec: 300 },
        },
        visibilityConfig: visibility('TooManyRequests'),
      },
    ],
  });
  const association = new CfnWebACLAssociation(scope, 'FirewallOfStage', {
    resourceArn: stage.stageArn,
    webAclArn: acl.attrArn,
  });
  association.node.addDependency(stage);
  // WAF requires this prefix of the log group's name; the UUID in the stack's id makes the name unique
  const stackUuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  const logGroup = new LogGroup(scope, 'FirewallLog', {
    logGroupName: `aws-waf-logs-${stackUuid}`,
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new CfnOutput(scope, 'FirewallLogName', {
    value: logGroup.logGroupName,
    description: 'The log group of blocked requests',
  });
  new CfnLoggingConfiguration(scope, 'FirewallLogging', {
    resourceArn: acl.attrArn,
    // WAF expects the log group's ARN without the `:*` at its end
    logDestinationConfigs: [Fn.select(0, Fn.split(':*', logGroup.logGroupArn))],
    loggingFilter: KEEP_BLOCKED_ONLY,
    redactedFields: [{ queryString: {} }, ...SECRET_HEADERS.map((Name) => ({ singleHeader: { Name } }))],
  });
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false, metricName };
}
