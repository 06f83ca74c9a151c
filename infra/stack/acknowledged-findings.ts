import { type Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

interface Finding {
  /** Path of the construct in the stack; what is found anywhere below it counts, too. */
  readonly at: string;
  readonly rule: string;
  readonly reason: string;
}

const PUSH_LOGS = 'Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * What the AwsSolutions rules of cdk-nag find in the stack and what stands as it is, each with its reason. A test sees to it that there is no other
 * finding, and that each of these is still one.
 */
export const ACKNOWLEDGED_FINDINGS: readonly Finding[] = [
  {
    at: 'Api',
    rule: 'APIG2',
    reason:
      'The functions validate every parameter and body against the contract and name all wrong fields at once; API Gateway would name none.',
  },
  {
    at: 'Api',
    rule: 'APIG3',
    reason: 'A firewall costs by the request; the setting waf puts one before the stage.',
  },
  {
    at: 'Api',
    rule: 'APIG4',
    reason:
      'The contract’s API key is checked first of all by each function: an authorizer could not tell header and query apart, nor answer with our errors.',
  },
  { at: 'Api', rule: 'COG4', reason: 'Callers are programs with API keys of the contract; there is no user pool.' },
  {
    at: 'Api/CloudWatchRole',
    rule: `IAM4[${PUSH_LOGS}]`,
    reason:
      'It is the role by which API Gateway writes any API’s logs in the region, and AWS’s own policy for exactly that.',
  },
  {
    at: 'Ingestion/Bucket',
    rule: 'S1',
    reason: 'A letter box for load files: what came in and what became of it stands in the report beside each folder.',
  },
  {
    at: 'Ingestion/Failures',
    rule: 'SQS3',
    reason: 'It is itself the queue of what failed; its alarm rings as soon as one message is in it.',
  },
  ...['*', '*/_PROGRESS.json', '*/_REPORT.json'].map((name) => ({
    at: 'Ingestion/IngestFolderRole',
    rule: `IAM5[Resource::<IngestionBucket3AECAE21.Arn>/${name}]`,
    reason:
      'The owner names the folders: reading is of any object of this one bucket, writing of the two files beside a folder.',
  })),
];

/** Tells cdk-nag which of its findings are meant to be so. */
export function acknowledgeFindings(stack: Stack): void {
  for (const { at, rule, reason } of ACKNOWLEDGED_FINDINGS) {
    const construct = at
      .split('/')
      .reduce<IConstruct | undefined>((parent, id) => parent?.node.tryFindChild(id), stack);
    // a part that these settings leave out, such as the account's role for logs, has no findings
    if (construct === undefined) continue;
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
}
