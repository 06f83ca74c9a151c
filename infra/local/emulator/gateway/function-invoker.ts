import { FunctionInstance, type Outcome } from './function-instance.ts';
import type { FunctionDefinition } from './stage-definition.ts';

/** Default limit of instances of one function. All share the processors and memory of one machine: large functions compute, the others mostly wait for the table. */
const MAX_INSTANCES = { large: 2, small: 1 } as const;
/** Memory in MB from which a function is large: Lambda gives it a whole processor core. */
const LARGE_MB = 1_769;

/** Lambda's limit on a result, in bytes of JSON: 6 MiB and 100 bytes. */
const MAX_PAYLOAD = 6_291_556;

export interface InvokerOptions {
  /** Added to the functions' own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onLog: (text: string) => void;
  /** Concurrent instances of one function; default: MAX_INSTANCES. Further events wait for one, whereas Lambda throttles them: a single machine cannot scale out. */
  readonly maxInstances?: number;
}

/**
 * Runs functions: an event goes to an idle instance, or to a new one up to `maxInstances`, or else waits for one. Waiting events of different API keys take turns, so
 * that many requests of one user do not delay the others.
 */
export class FunctionInvoker {
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #onLog: (text: string) => void;

  constructor(definitions: readonly FunctionDefinition[], options: InvokerOptions) {
    this.#pools = new Map(definitions.map((definition) => [definition.name, new Pool(definition, options)]));
    this.#onLog = options.onLog;
  }

  /** @returns the outcome, also if the function fails; undefined if the invoker is closed before an instance is free. @throws Error if there is no such function */
  async invoke(functionName: string, event: object, apiKey: string): Promise<Outcome | undefined> {
    const pool = this.#pools.get(functionName);
    if (pool === undefined) throw new Error(`there is no function ${functionName}`);
    const run = await pool.run(event, apiKey);
    const outcome = run && limitPayload(run);
    if (outcome?.kind === 'failure') this.#onLog(`${functionName}: ${outcome.reason}\n`);
    return outcome;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }
}

function limitPayload(outcome: Outcome): Outcome {
  const bytes = outcome.kind === 'result' ? Buffer.byteLength(outcome.payload) : 0;
  if (bytes <= MAX_PAYLOAD) return outcome;
  return { kind: 'failure', reason: `the result of ${bytes} bytes of JSON is larger than Lambda's ${MAX_PAYLOAD}` };
}

class Pool {
  readonly #definition: FunctionDefinition;
  readonly #options: InvokerOptions;
  readonly #maxInstances: number;
  readonly #instances = new Set<FunctionInstance>();
  readonly #idle: FunctionInstance[] = [];
  /** By API key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #closed = false;

  constructor(definition: FunctionDefinition, options: InvokerOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#maxInstances = options.maxInstances ?? MAX_INSTANCES[definition.memoryMb >= LARGE_MB ? 'large' : 'small'];
  }

  /** @returns undefined if the pool is closed before an instance is free */
  async run(event: object, apiKey: string): Promise<Outcome | undefined> {
    const instance = await this.#take(apiKey);
    if (instance === undefined) return undefined;
    const outcome = await instance.invoke(event);
    if (instance.isUsable) this.#idle.push(instance);
    else this.#instances.delete(instance);
    this.#wakeNext();
    return outcome;
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [apiKey, [wake, ...others]] = next;
    this.#waiting.delete(apiKey);
    if (others.length > 0) this.#waiting.set(apiKey, others);
    wake?.();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of [...this.#waiting.values()].flat()) wake();
    await Promise.all([...this.#instances].map((instance) => instance.close()));
  }

  async #take(apiKey: string): Promise<FunctionInstance | undefined> {
    while (!this.#closed) {
      const idle = this.#idle.pop();
      if (idle?.isUsable === true) return idle;
      if (idle !== undefined) this.#instances.delete(idle);
      else if (this.#instances.size < this.#maxInstances) return this.#start();
      else
        await new Promise<void>((resolve) =>
          this.#waiting.set(apiKey, [...(this.#waiting.get(apiKey) ?? []), resolve]),
        );
    }
    return undefined;
  }

  #start(): FunctionInstance {
    // the instances share the memory of one, as they share a machine
    const CACHE_BYTES = String(Math.floor((this.#definition.memoryMb * 2 ** 18) / this.#maxInstances));
    const environment = { ...this.#options.environment, CACHE_BYTES };
    const instance = new FunctionInstance(this.#definition, { ...this.#options, environment });
    this.#instances.add(instance);
    return instance;
  }
}
