import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ApiFunction } from './api-function.ts';
import type { ServiceCheck } from './service-check.ts';

/**
 * Lets CodeDeploy switch the aliases of the functions behind the API: after the check has sent requests to a new version, 10 % of the requests for five minutes, then all. It switches back if an
 * alarm on errors of functions enters the ALARM state meanwhile, and CloudFormation then rolls back the stack. The ingestion is switched at once, because a few folders a day show no trend.
 */
export function addCanaryDeployments(
  scope: Construct,
  functions: ReadonlyMap<string, ApiFunction>,
  check: ServiceCheck,
  errorAlarms: readonly Alarm[],
): void {
  const application = new LambdaApplication(scope, 'Deployments');
  const role = new Role(scope, 'DeploymentRole', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  for (const [name, { node, live }] of functions) {
    const group = new LambdaDeploymentGroup(scope, `${node.id}Deployment`, {
      application,
      role,
      alias: live,
      deploymentGroupName: name, // by which the check finds the version
      preHook: check.handler,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...errorAlarms],
      autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
    });
    check.handler.addToRolePolicy(
      new PolicyStatement({ actions: ['codedeploy:GetDeployment'], resources: [group.deploymentGroupArn] }),
    );
    live.node.addDependency(group, check, role); // the alias's update policy refers to the group and the check, which the role must be allowed to invoke
  }
}
