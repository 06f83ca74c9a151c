import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { THROUGH_PROXY } from '../../../shared/lib/sdk/proxy.ts';
import { absent, onEmulator, poll } from './steps.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HALF_AN_HOUR = 1800;
/** What an emulator says of types and properties of resources that it does not have. */
const UNSUPPORTED =
  /Un(?:supported|recognized) resource types?: .+|\S+ \(metric math\) is not supported|ChangeSet \S+ is in UNAVAILABLE status/;

/**
 * Runs a command as a person does.
 * @param command such as `npx cdk deploy`, to which the arguments are added
 * @returns what it printed on standard output. @throws Error with the end of its output, without keys
 */
export async function runCommand(
  options: { signal?: AbortSignal; env?: NodeJS.ProcessEnv },
  command: string,
  ...args: string[]
) {
  const [program = '', ...first] = command.split(' ');
  try {
    const given = { cwd: ROOT, maxBuffer: 2 ** 26, ...options };
    return (await promisify(execFile)(program, [...first, ...args], given)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error);
    const printed = `${stdout}\n${stderr}`.replaceAll(/ecap_\w+/g, 'ecap_…').trim();
    const [unsupported] = UNSUPPORTED.exec(printed) ?? [];
    throw unsupported === undefined ? new Error(`${command}: …${printed.slice(-600)}`) : absent(unsupported);
  }
}

export interface DeployedStack {
  readonly id: string;
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly url: string;
  /** The physical ids of its alarms. */
  readonly alarms: readonly string[];
}

/** @throws Error if there is no such stack */
export async function readStack(StackName: string): Promise<DeployedStack> {
  const client = new CloudFormationClient({ requestHandler: THROUGH_PROXY });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const [{ StackId: id = '', StackStatus: status = '', Outputs = [] } = {}] = Stacks;
  const outputs = Object.fromEntries(Outputs.map((given) => [given.OutputKey, given.OutputValue ?? '']));
  const alarms: string[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType, PhysicalResourceId = '' } of page.StackResourceSummaries ?? [])
      if (ResourceType === 'AWS::CloudWatch::Alarm') alarms.push(PhysicalResourceId);
  }
  return { id, status, outputs, url: urlOf(outputs.Url ?? ''), alarms };
}

/** @returns the URL; on an emulator, the path under which MiniStack and LocalStack serve the API */
function urlOf(url: string): string {
  const { AWS_ENDPOINT_URL } = process.env;
  const [, api, path] = /^https:\/\/(\w+)\.[^/]+(\/.*)$/.exec(url) ?? [];
  return AWS_ENDPOINT_URL === undefined ? url : `${AWS_ENDPOINT_URL}/_aws/execute-api/${api}${path}`;
}

/** Deletes a stack with the `removalPolicy` destroy, once its deployment has ended. @throws Error if there is no such stack */
export async function deleteStack(StackName: string): Promise<string> {
  const client = new CloudFormationClient({ requestHandler: THROUGH_PROXY });
  const isSettled = async () => {
    const stack = await readStack(StackName);
    // a stack whose first change set failed stays in review
    return /^(?!REVIEW_).*_IN_PROGRESS$/.test(stack.status) ? undefined : stack;
  };
  const stack = await poll(HALF_AN_HOUR, isSettled);
  if (stack === undefined) throw new Error('its deployment does not end');
  const { BucketName } = stack.outputs;
  const remove = async () => {
    if (BucketName !== undefined) await emptyBucket(BucketName); // CloudFormation deletes no bucket with objects
    await client.send(new DeleteStackCommand({ StackName: stack.id }));
    await waitUntilStackDeleteComplete({ client, maxWaitTime: HALF_AN_HOUR }, { StackName: stack.id });
  };
  await remove().catch(remove); // a load that was still running may have written into the bucket
  return 'deleted, with table, bucket and logs; KMS deletes the keys in 30 days';
}

async function emptyBucket(Bucket: string): Promise<void> {
  const client = new S3Client({ requestHandler: THROUGH_PROXY, forcePathStyle: onEmulator() });
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length > 0) await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  }
}
