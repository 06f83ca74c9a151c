import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../services/local-credentials.ts';
import type { FunctionDefinition } from './stage-definition.ts';

/** Memory in MB from which a function computes, and has a thread of its own: Lambda gives it a whole processor core. The others mostly wait for the table. */
const LARGE_MB = 1_769;

/** Lambda's limit on a result, in bytes of JSON: 6 MiB and 100 bytes. */
const MAX_PAYLOAD = 6_291_556;

/** The outcome of one invocation: the function's result as JSON, or a failure, whose reason is logged but not sent to the client. */
const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('result'), payload: z.string() }),
  z.object({ kind: z.literal('failure'), reason: z.string() }),
]);
export type Outcome = z.output<typeof Outcome>;

export interface InvokerOptions {
  /** Added to the functions' own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onLog: (text: string) => void;
}

/** Runs functions in two threads, large ones and the others, whereas Lambda starts an instance for each concurrent event: a single machine cannot scale out. */
export class FunctionInvoker {
  readonly #functions: ReadonlyMap<string, readonly [FunctionDefinition, EventQueue]>;
  readonly #queues: readonly EventQueue[];
  readonly #onLog: (text: string) => void;

  constructor(definitions: readonly FunctionDefinition[], options: InvokerOptions) {
    const threads = Map.groupBy(definitions, ({ memoryMb }) => memoryMb >= LARGE_MB);
    const queues = [...threads.values()].map((members) => [members, new EventQueue(members, options)] as const);
    const functions = queues.flatMap(([members, queue]) => members.map((own) => [own.name, [own, queue]] as const));
    this.#functions = new Map(functions);
    this.#queues = queues.map(([, queue]) => queue);
    this.#onLog = options.onLog;
  }

  /** @returns the outcome, also if the function fails; undefined if the invoker is closed before the event's turn. @throws Error if there is no such function */
  async invoke(functionName: string, event: object, apiKey: string): Promise<Outcome | undefined> {
    const found = this.#functions.get(functionName);
    if (found === undefined) throw new Error(`there is no function ${functionName}`);
    const [definition, queue] = found;
    const run = await queue.run(definition, event, apiKey);
    const outcome = run && limitPayload(run);
    if (outcome?.kind === 'failure') this.#onLog(`${functionName}: ${outcome.reason}\n`);
    return outcome;
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}

function limitPayload(outcome: Outcome): Outcome {
  const bytes = outcome.kind === 'result' ? Buffer.byteLength(outcome.payload) : 0;
  if (bytes <= MAX_PAYLOAD) return outcome;
  return { kind: 'failure', reason: `the result of ${bytes} bytes of JSON is larger than Lambda's ${MAX_PAYLOAD}` };
}

/**
 * The events of one thread, which handles one at a time; a timeout or crash ends that one, and the next gets a new thread. Waiting events of different API keys
 * take turns, so that many requests of one user do not delay the others.
 */
class EventQueue {
  readonly #definitions: readonly FunctionDefinition[];
  readonly #options: InvokerOptions;
  #worker: Worker | undefined;
  /** Ends the current invocation; undefined if there is none. */
  #finish: ((outcome: Outcome) => void) | undefined;
  #isBusy = false;
  #isClosed = false;
  /** By API key, those that have waited longest first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The key of the current event, or of the last one: the turn is that of another key, if there is one. */
  #lastKey = '';

  constructor(definitions: readonly FunctionDefinition[], options: InvokerOptions) {
    this.#definitions = definitions;
    this.#options = options;
  }

  /** @returns undefined if the queue is closed before the event's turn */
  async run(definition: FunctionDefinition, event: object, apiKey: string): Promise<Outcome | undefined> {
    if (this.#isBusy)
      await new Promise<void>((wake) => this.#waiting.set(apiKey, [...(this.#waiting.get(apiKey) ?? []), wake]));
    if (this.#isClosed) return undefined;
    this.#isBusy = true;
    this.#lastKey = apiKey;
    const outcome = await this.#invoke(definition, event);
    this.#isBusy = this.#wakeNext();
    return outcome;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of [...this.#waiting.values()].flat()) wake();
    const worker = this.#worker;
    this.#stop('the local stage is closing');
    await worker?.terminate();
  }

  #wakeNext(): boolean {
    const keys = [...this.#waiting.keys()];
    const apiKey = keys.find((key) => key !== this.#lastKey) ?? keys[0];
    if (apiKey === undefined) return false;
    const [wake, ...others] = this.#waiting.get(apiKey) ?? [];
    this.#waiting.delete(apiKey);
    if (others.length > 0) this.#waiting.set(apiKey, others);
    wake?.();
    return true;
  }

  async #invoke(definition: FunctionDefinition, event: object): Promise<Outcome> {
    const { name, memoryMb, timeoutMs, folder } = definition;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#finish = resolve;
    this.#worker ??= this.#start();
    const timer = setTimeout(() => this.#stop(`the function timed out after ${timeoutMs / 1000} s`), timeoutMs);
    const context = {
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:${name}`,
      memoryLimitInMB: String(memoryMb),
      awsRequestId: randomUUID(),
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: 'local',
    };
    this.#worker.postMessage({
      file: join(folder, 'index.mjs'),
      environment: { ...runtimeEnvironment(definition), ...this.#options.environment, ...definition.environment },
      event: JSON.stringify(event),
      ...{ context, endsAt: Date.now() + timeoutMs },
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #start(): Worker {
    setFlagsFromString('--expose-gc'); // which a worker cannot have in NODE_OPTIONS or execArgv
    const worker = new Worker(new URL('./function-thread.ts', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: oldGenerationMb(this.#definitions),
        ...youngGeneration(this.#definitions),
      },
      stdout: true,
      stderr: true,
    });
    for (const output of [worker.stdout, worker.stderr]) output.setEncoding('utf8').on('data', this.#options.onLog);
    const stop = (reason: string) => worker === this.#worker && this.#stop(reason);
    worker.on('message', (message) => worker === this.#worker && this.#finish?.(Outcome.parse(message)));
    worker.on('error', (error) => stop(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => stop('the function ended its process'));
    return worker;
  }

  /** Ends the thread and its event; the next event starts another one. */
  #stop(reason: string): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#finish?.({ kind: 'failure', reason });
  }
}

/** @returns the memory of the largest function, and a quarter of that of each other one, which its caches may take */
function oldGenerationMb(definitions: readonly FunctionDefinition[]): number {
  const sizes = definitions.map(({ memoryMb }) => memoryMb);
  const largest = Math.max(...sizes);
  return largest + (sizes.reduce((sum, size) => sum + size, 0) - largest) / 4;
}

/** A worker has no NODE_OPTIONS. Its young generation is three semi-spaces. */
function youngGeneration(definitions: readonly FunctionDefinition[]): { readonly maxYoungGenerationSizeMb?: number } {
  const options = definitions.map(({ environment }) => environment.NODE_OPTIONS).join(' ');
  const [, semiSpaceMb] = /--max-semi-space-size=(\d+)/.exec(options) ?? [];
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
