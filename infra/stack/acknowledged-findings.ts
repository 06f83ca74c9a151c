import { type Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

interface Finding {
  /** Path of the construct in the stack; findings below it are included. */
  readonly at: string;
  readonly rule: string;
  readonly reason: string;
}

const SERVICE_ROLE = 'Policy::arn:<AWS::Partition>:iam::aws:policy/service-role';
/**
 * The findings of cdk-nag's AwsSolutions rules that are accepted, each with its reason. A test checks that there are no other findings, and that each
 * of these still occurs.
 */
export const ACKNOWLEDGED_FINDINGS: readonly Finding[] = [
  {
    at: 'Api',
    rule: 'APIG2',
    reason:
      'The functions validate every parameter and body against the contract and report all invalid fields together; API Gateway’s validation cannot report them by field in the contract’s format.',
  },
  {
    at: 'Api',
    rule: 'APIG3',
    reason: 'A firewall has a price per request, so the setting waf can switch it off; it is on by default.',
  },
  {
    at: 'Api',
    rule: 'APIG4',
    reason:
      'Each function that reads the table checks the contract’s API key first, and responds with the contract’s errors; an authorizer would add a second function call per request.',
  },
  { at: 'Api', rule: 'COG4', reason: 'Callers are programs with the contract’s API keys; there is no user pool.' },
  {
    at: 'Api/CloudWatchRole',
    rule: `IAM4[${SERVICE_ROLE}/AmazonAPIGatewayPushToCloudWatchLogs]`,
    reason:
      'API Gateway needs this role to write the logs of any API in the region, and AWS provides this policy for it.',
  },
  {
    at: 'Ingestion/Bucket',
    rule: 'S1',
    reason: 'The bucket only receives load files; the report in each folder records what was received and loaded.',
  },
  {
    at: 'Ingestion/Undelivered',
    rule: 'SQS3',
    reason: 'It is itself the dead-letter queue of an EventBridge rule, which the finding does not recognize.',
  },
  {
    at: 'DeploymentRole',
    rule: `IAM4[${SERVICE_ROLE}/AWSCodeDeployRoleForLambdaLimited]`,
    reason: 'CodeDeploy needs this policy to switch aliases and to watch alarms, and AWS provides it for that.',
  },
  {
    at: 'DeploymentRole',
    rule: 'IAM5[Resource::<CheckCheckServiceD93E1AA0.Arn>:*]',
    reason: 'CDK allows CodeDeploy to invoke every version of the function that checks new versions.',
  },
  ...['*', '*/_PROGRESS.json', '*/_REPORT.json'].map((name) => ({
    at: 'Ingestion/IngestFolder/Role',
    rule: `IAM5[Resource::<IngestionBucket3AECAE21.Arn>/${name}]`,
    reason:
      'Folder names are chosen by the operator: the function reads any object of this bucket, and writes only these two files into a folder.',
  })),
];

/** Acknowledges the accepted findings, so that cdk-nag does not report them. */
export function acknowledgeFindings(stack: Stack): void {
  for (const { at, rule, reason } of ACKNOWLEDGED_FINDINGS) {
    const construct = at
      .split('/')
      .reduce<IConstruct | undefined>((parent, id) => parent?.node.tryFindChild(id), stack);
    // the settings may leave a construct out, such as the account's role for logs
    if (construct === undefined) continue;
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
}
