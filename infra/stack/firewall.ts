import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** What a request may bear a key or a token in. */
const SECRET_HEADERS = ['ocp-apim-subscription-key', 'authorization'];

/**
 * The optional firewall. Two rules, chosen so that its logs cannot hold a key: rules that look into requests (injection, scripts) log what
 * they matched, and their size limits would refuse long reports. Nothing is sampled, because samples hold whole addresses.
 */
export function addFirewall(
  scope: Construct,
  stage: Stage,
  { requestsPerFiveMinutes }: NonNullable<Settings['waf']>,
  logRetentionDays: Settings['logRetentionDays'],
): void {
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: counted('Firewall'),
    rules: [
      {
        name: 'AddressesOfIllRepute',
        priority: 0,
        overrideAction: { none: {} },
        statement: { managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' } },
        visibilityConfig: counted('AddressesOfIllRepute'),
      },
      {
        name: 'TooManyRequests',
        priority: 1,
        action: { block: {} },
        statement: {
          rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerFiveMinutes, evaluationWindowSec: 300 },
        },
        visibilityConfig: counted('TooManyRequests'),
      },
    ],
  });
  const association = new CfnWebACLAssociation(scope, 'FirewallOfStage', {
    resourceArn: stage.stageArn,
    webAclArn: acl.attrArn,
  });
  association.node.addDependency(stage);
  // WAF writes only to groups whose names begin so; the last part of the stack's id keeps two stages apart
  const stackUuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  const logGroup = new LogGroup(scope, 'FirewallLog', {
    logGroupName: `aws-waf-logs-${stackUuid}`,
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new CfnLoggingConfiguration(scope, 'FirewallLogging', {
    resourceArn: acl.attrArn,
    // WAF takes the group's ARN without the `:*` at its end
    logDestinationConfigs: [Fn.select(0, Fn.split(':*', logGroup.logGroupArn))],
    redactedFields: [{ queryString: {} }, ...SECRET_HEADERS.map((Name) => ({ singleHeader: { Name } }))],
  });
}

function counted(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false, metricName };
}
