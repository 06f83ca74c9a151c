import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../services/local-credentials.ts';
import type { FunctionDefinition } from './stage-definition.ts';

/** The outcome of one invocation: the function's result as JSON, or a failure, whose reason is logged but not sent to the client. */
const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('result'), payload: z.string() }),
  z.object({ kind: z.literal('failure'), reason: z.string() }),
]);
export type Outcome = z.output<typeof Outcome>;

/**
 * One Lambda instance: the function's bundle in a worker thread with its own environment, handling one event at a time. It is unusable after a
 * timeout, a crash or `close`.
 */
export class FunctionInstance {
  readonly #definition: FunctionDefinition;
  readonly #worker: Worker;
  /** Ends the current invocation; undefined while the instance is idle. */
  #finish: ((outcome: Outcome) => void) | undefined;
  #isUsable = true;

  /** @param options.environment variables such as the endpoints of its services; the function's own take precedence */
  constructor(
    definition: FunctionDefinition,
    options: { readonly environment: Readonly<Record<string, string>>; readonly onLog: (text: string) => void },
  ) {
    this.#definition = definition;
    this.#worker = new Worker(new URL('./function-thread.ts', import.meta.url), {
      name: definition.name,
      workerData: { file: join(definition.folder, 'index.mjs') },
      env: { ...runtimeEnvironment(definition), ...options.environment, ...definition.environment },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMb, ...youngGeneration(definition) },
      stdout: true,
      stderr: true,
    });
    for (const output of [this.#worker.stdout, this.#worker.stderr])
      output.setEncoding('utf8').on('data', options.onLog);
    this.#worker.on('message', (message) => this.#end(Outcome.parse(message)));
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', () => this.#fail('the function ended its process'));
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** @returns the outcome; never throws. The instance must be usable and idle. */
  async invoke(event: object): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#finish = resolve;
    const { timeoutMs, name, memoryMb } = this.#definition;
    const timer = setTimeout(() => this.#fail(`the function timed out after ${timeoutMs / 1000} s`), timeoutMs);
    const context = {
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:${name}`,
      memoryLimitInMB: String(memoryMb),
      awsRequestId: randomUUID(),
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: 'local',
    };
    this.#worker.postMessage({ event: JSON.stringify(event), context, endsAt: Date.now() + timeoutMs });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#fail('the local stage is closing');
    await this.#worker.terminate();
  }

  #fail(reason: string): void {
    this.#isUsable = false;
    void this.#worker.terminate();
    this.#end({ kind: 'failure', reason });
  }

  #end(outcome: Outcome): void {
    this.#finish?.(outcome);
    this.#finish = undefined;
  }
}

/** A worker has no NODE_OPTIONS. Its young generation is three semi-spaces. */
function youngGeneration({ environment }: FunctionDefinition): { readonly maxYoungGenerationSizeMb?: number } {
  const [, semiSpaceMb] = /--max-semi-space-size=(\d+)/.exec(environment.NODE_OPTIONS ?? '') ?? [];
  return semiSpaceMb === undefined ? {} : { maxYoungGenerationSizeMb: 3 * Number(semiSpaceMb) };
}

/** The variables that Lambda's Node.js runtime sets, where they apply here. The user's own environment is not passed on. */
function runtimeEnvironment(definition: FunctionDefinition): Record<string, string> {
  return {
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_LEVEL: definition.logLevel,
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    LAMBDA_TASK_ROOT: definition.folder,
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  };
}
