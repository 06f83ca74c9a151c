import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FUNCTION_ROUTES, MCP, PAGES, ROUTES } from '../../../infra/config/routes.ts';
import { FunctionInvoker } from '../../../infra/local/emulator/gateway/function-invoker.ts';
import { createGatewayServer } from '../../../infra/local/emulator/gateway/gateway-server.ts';
import { openLocalStage } from '../../../infra/local/local-stage.ts';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { listen } from '../../support/gateway-server.ts';
import { copyOfDemo } from '../../support/stage.ts';
import { type LoopbackServer, startServer } from '../../support/start-server.ts';
import { BUNDLES, resourcesOf, shorten, synthesizeWith } from './synthesized.ts';

/** What a version sends instead of its own response; `denied` is IAM's response to the invocation. */
type Result = { readonly statusCode: number; readonly body: string } | 'crash' | 'denied';
const sends = (statusCode: number): Result => ({ statusCode, body: `{"status":${statusCode}}` });

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

let aws: LoopbackServer;
let apiUrl: string;
let validKey: string;
/** What the parameter contains; undefined = there is none. */
let parameter: string | undefined;
/** Results of broken versions, by function. */
let broken: Readonly<Record<string, Result>>;
/** The functions that were invoked, and what was reported to CodeDeploy. */
let invoked: string[];
let reported: unknown[];
beforeEach(() => {
  parameter = validKey;
  broken = {};
  invoked = [];
  reported = [];
});

beforeAll(async () => {
  const folder = await copyOfDemo();
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const options = { onLog: () => undefined };
  const stage = await openLocalStage({ folder, ...options });
  opened.defer(() => stage.close());
  const server = createGatewayServer(stage.gateway);
  opened.defer(() => server.close());
  apiUrl = `http://127.0.0.1:${await listen(server)}/v2`;
  validKey = (await createKey(stage.table, 'demo-agency')).key;
  const invoker = new FunctionInvoker(stage.definition.functions, { environment: stage.environment, ...options });
  opened.defer(() => invoker.close());
  aws = opened.use(
    await startServer(async (request, response) => {
      const body = await text(request);
      const [, name] = /^\/2015-03-31\/functions\/version-of-([\w-]+)\/invocations/.exec(request.url ?? '') ?? [];
      if (name !== undefined) {
        invoked.push(name);
        const result = broken[name];
        if (result === 'crash') return void response.setHeader('X-Amz-Function-Error', 'Unhandled').end('{}');
        if (result === 'denied') {
          const error = JSON.stringify({ Type: 'User', Message: 'not yet' });
          return void response.setHeader('X-Amzn-Errortype', 'AccessDeniedException').writeHead(403).end(error);
        }
        if (result !== undefined) return void response.end(JSON.stringify(result));
        const outcome = await invoker.invoke(name, JSON.parse(body), '');
        return void response.end(outcome?.kind === 'result' ? outcome.payload : 'null');
      }
      response.setHeader('Content-Type', 'application/x-amz-json-1.1');
      const answer = answers[String(request.headers['x-amz-target'])]?.(JSON.parse(body)) ?? { __type: 'NoOperation' };
      response.writeHead('__type' in answer ? 400 : 200).end(JSON.stringify(answer));
    }),
  );
});

/** The operations of AWS that the function calls, besides invocations. */
const answers: Readonly<Record<string, (input: Record<string, unknown>) => object>> = {
  'AmazonSSM.GetParameter': ({ Name, WithDecryption }) =>
    parameter === undefined || Name !== '/endcap/Test/check-key' || WithDecryption !== true
      ? { __type: 'ParameterNotFound' }
      : { Parameter: { Name, Value: parameter } },
  'CodeDeploy_20141006.GetDeployment': ({ deploymentId }) => ({
    deploymentInfo: { deploymentGroupName: String(deploymentId).replace('deployment-of-', '') },
  }),
  'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus': (input) => {
    reported.push(input);
    return {};
  },
};

const functionIn = (context: Readonly<Record<string, unknown>>) =>
  [...resourcesOf(synthesizeWith(context), 'AWS::Lambda::Function')].find(([id]) => id.startsWith('Check'))?.[1];
const variablesIn = (context: Readonly<Record<string, unknown>>) =>
  Object(shorten(functionIn(context)?.Properties.Environment)).Variables;

/** Runs the deployed bundle with an event. @returns what it prints @throws Error with what it prints if it fails */
async function run(event: object): Promise<string> {
  const script = `
    const { handler } = await import(process.argv[1]);
    await handler(JSON.parse(process.argv[2]), { awsRequestId: 'l-1' });`;
  const bundle = join(BUNDLES, 'check-service/index.mjs');
  const names = [...FUNCTION_ROUTES, PAGES].map((route) => route.function);
  const args = ['--input-type=module', '-e', script, bundle, JSON.stringify(event)];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: {
      ...process.env,
      AWS_ENDPOINT_URL: aws.endpoint,
      API_URL: apiUrl,
      KEY_PARAMETER: '/endcap/Test/check-key',
      ROUTES: variablesIn({}).ROUTES,
      VERSIONS: JSON.stringify(Object.fromEntries(names.map((name) => [name, `version-of-${name}`]))),
    },
  });
  return stdout;
}

const deployment = (name: string) => ({
  DeploymentId: `deployment-of-${name}`,
  LifecycleEventHookExecutionId: 'execution-1',
});

describe('a scheduled request', () => {
  test('to each route succeeds with a key, and without one', async () => {
    await run({ source: 'aws.events' });
    parameter = undefined;
    await run({ source: 'aws.events' });
    expect({ invoked, reported }).toEqual({ invoked: [], reported: [] });
  });

  test.each([
    ['a key that is not valid', 'ecap_wrong', /GET \/metadata\/accounts: the status is 401: .*KEY_INVALID/],
    ['an address where nothing listens', undefined, /fetch failed/],
  ])('fails with %s, without logging the key', async (_, key, message) => {
    if (key === undefined) apiUrl = 'http://127.0.0.1:1/v2';
    else parameter = key;
    const error = await run({}).catch(String);
    expect(error).toMatch(message);
    expect(error).not.toContain(validKey);
  });
});

describe('before a new version gets requests', () => {
  const outcomeOf = async (name: string) => {
    const printed = await run(deployment(name));
    expect(reported).toEqual([
      {
        deploymentId: `deployment-of-${name}`,
        lifecycleEventHookExecutionId: 'execution-1',
        status: expect.any(String),
      },
    ]);
    return { status: Object(reported[0]).status, printed };
  };

  test.each(FUNCTION_ROUTES.map((route) => route.function))(
    'the version of %s gets valid requests, with ids from the other new versions',
    async (name) => {
      expect(await outcomeOf(name)).toEqual({ status: 'Succeeded', printed: '' });
      const sources = ['list-accounts', 'list-ad-groups', 'get-jwt'];
      const methods = [...ROUTES, MCP].filter((route) => route.function === name).length;
      expect(invoked.sort()).toEqual(
        [...new Set(sources.filter((source) => source !== name)), ...Array(methods).fill(name)].sort(),
      );
    },
  );

  test.each([
    ['list-fields', sends(401), 'GET /metadata/fields: the status is 401'],
    ['list-fields', sends(500), 'GET /metadata/fields: the status is 500'],
    ['submit-report', sends(422), 'POST /report/{experience_name}: the status is 422'],
    ['list-accounts', { statusCode: 200, body: '{"data":[]}' }, 'the user of the key has no account'],
    ['get-jwks', 'crash', 'get-jwks: {}'],
  ] as const)('%s that sends %j is rejected', async (name, result, message) => {
    broken = { [name]: result };
    const { status, printed } = await outcomeOf(name);
    expect(status).toBe('Failed');
    expect(JSON.parse(printed)).toMatchObject({
      lambdaRequestId: 'l-1',
      error: { message: expect.stringContaining(message) },
    });
  });

  test('a version that may not be invoked yet is reported later, when Lambda repeats the event', async () => {
    broken = { 'list-fields': 'denied' };
    await expect(run(deployment('list-fields'))).rejects.toThrow('AccessDeniedException');
    expect(reported).toEqual([]);
  });

  test('without a key, 401 is right, and a version that crashes or sends another error is rejected', async () => {
    parameter = undefined;
    expect((await outcomeOf('list-fields')).status).toBe('Succeeded');
    for (const result of [sends(500), sends(422), 'crash'] as const) {
      reported = [];
      broken = { 'list-fields': result };
      expect((await outcomeOf('list-fields')).status).toBe('Failed');
    }
  });
});
