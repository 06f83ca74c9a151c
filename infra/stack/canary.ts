import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ApiFunction } from './api-function.ts';

/**
 * Lets CodeDeploy switch the aliases of the functions behind the API: 10 % of the requests for five minutes, then all. It switches back if an
 * alarm on errors of functions enters the ALARM state meanwhile, and CloudFormation then rolls back the stack. The ingestion is switched at once, because a few folders a day show no trend.
 */
export function addCanaryDeployments(
  scope: Construct,
  functions: ReadonlyMap<string, ApiFunction>,
  errorAlarms: readonly Alarm[],
): void {
  const application = new LambdaApplication(scope, 'Deployments');
  const role = new Role(scope, 'DeploymentRole', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  for (const { node, live } of functions.values()) {
    const group = new LambdaDeploymentGroup(scope, `${node.id}Deployment`, {
      application,
      role,
      alias: live,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...errorAlarms],
      autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
    });
    live.node.addDependency(group); // the alias's update policy refers to it
  }
}
