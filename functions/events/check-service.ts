import { randomUUID } from 'node:crypto';
import {
  CodeDeployClient,
  GetDeploymentCommand,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Context } from 'aws-lambda';
import {
  type RequestedRoute,
  SOURCE_ROUTES,
  sendContractRequests,
} from '../../shared/contract/report/contract-requests.ts';
import { readEnv } from '../../shared/lib/env.ts';
import { logError } from '../../shared/lib/log.ts';
import { requestLimits } from '../../shared/lib/sdk/request-limits.ts';

/** `function` is the file of its function. */
type Route = RequestedRoute & { readonly method: string; readonly function: string };

const { API_URL, KEY_PARAMETER, ROUTES, VERSIONS } = readEnv(['API_URL', 'KEY_PARAMETER', 'ROUTES', 'VERSIONS']);
const routes: readonly Route[] = JSON.parse(ROUTES);
/** The ARNs of the versions to be deployed, by function. */
const versions: Readonly<Record<string, string>> = JSON.parse(VERSIONS);
const options = { requestHandler: requestLimits(30_000), maxAttempts: 8 };
const codeDeploy = new CodeDeployClient(options);
const lambda = new LambdaClient(options);
const parameters = new SSMClient(options);

/**
 * Sends a valid request to each route: on a schedule to the API's address, and for CodeDeploy, whose events name a deployment, to the new version of a
 * function before it gets requests. Without a key, status 401 is right, too.
 * @throws Error if a response to a scheduled request is not right
 */
export async function handler(
  event: { readonly DeploymentId?: string; readonly LifecycleEventHookExecutionId?: string },
  context: Context,
): Promise<void> {
  const { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId } = event;
  if (deploymentId === undefined) return sendAll(routes, (_, path, init) => fetch(API_URL + path, init));
  const outcome = { deploymentId, lifecycleEventHookExecutionId, status: 'Succeeded' as 'Succeeded' | 'Failed' };
  try {
    const { deploymentInfo } = await codeDeploy.send(new GetDeploymentCommand({ deploymentId }));
    const name = deploymentInfo?.deploymentGroupName;
    // the ids come from new versions, too: those that are replaced may be broken
    const needed = routes.filter((route) => route.function === name || SOURCE_ROUTES.includes(route.id));
    await sendAll(needed, sendToVersion);
  } catch (error) {
    // the permission to invoke a new version is not in force yet: Lambda repeats the event in a minute
    if (Object(error).name === 'AccessDeniedException') throw error;
    logError({ lambdaRequestId: context.awsRequestId }, error);
    outcome.status = 'Failed';
  }
  await codeDeploy.send(new PutLifecycleEventHookExecutionStatusCommand(outcome));
}

type Send = (route: Route, path: string, init: RequestInit) => Promise<Response>;

async function sendAll(to: readonly Route[], send: Send): Promise<void> {
  const key = await readKey();
  const sendChecked = async (route: Route, path: string, init: RequestInit = {}) => {
    const headers = { ...Object(init.headers), ...(key !== undefined && { 'Ocp-Apim-Subscription-Key': key }) };
    const response = await send(route, path, { ...init, headers });
    const text = await response.text();
    if (response.status === 200 || (key === undefined && response.status === 401)) return JSON.parse(text);
    throw new Error(`${route.method} ${route.path}: the status is ${response.status}: ${text.slice(0, 300)}`);
  };
  if (key !== undefined) return sendContractRequests(to, sendChecked);
  for (const route of to) await sendChecked(route, route.path, { method: route.method });
}

/** @returns the key in the parameter; undefined if the operator has not made the parameter */
async function readKey(): Promise<string | undefined> {
  const command = new GetParameterCommand({ Name: KEY_PARAMETER, WithDecryption: true });
  const read = await parameters.send(command).catch((error: unknown) => {
    if (Object(error).name !== 'ParameterNotFound') throw error;
  });
  return read?.Parameter?.Value;
}

/** Invokes the version with the members of API Gateway's event that the functions read. */
async function sendToVersion(route: Route, path: string, { headers, body }: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(path, API_URL);
  const [, parameter = ''] = /\{(\w+)\}/.exec(route.path) ?? [];
  const event = {
    resource: route.path,
    httpMethod: route.method,
    multiValueHeaders: Object.fromEntries(Object.entries({ ...headers }).map(([name, value]) => [name, [value]])),
    queryStringParameters: Object.fromEntries(searchParams),
    multiValueQueryStringParameters: Object.fromEntries([...searchParams].map(([name, value]) => [name, [value]])),
    pathParameters: { [parameter]: pathname.split('/')[route.path.split('/').indexOf(`{${parameter}}`)] },
    requestContext: { requestId: randomUUID(), path: pathname, identity: { sourceIp: '127.0.0.1' } },
    body,
  };
  const FunctionName = versions[route.function];
  const invoked = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }));
  const text = new TextDecoder().decode(invoked.Payload);
  if (invoked.FunctionError !== undefined) throw new Error(`${route.function}: ${text.slice(0, 300)}`);
  const response = JSON.parse(text);
  return new Response(response.body, { status: response.statusCode });
}
