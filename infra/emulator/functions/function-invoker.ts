import { availableParallelism } from 'node:os';
import type { FunctionDefinition } from '../template/stage-definition.ts';
import { FunctionInstance, type Outcome } from './function-instance.ts';

/** What Lambda hands over in one piece, in either direction: bytes of JSON. */
const MAX_PAYLOAD = 6_291_556;

export interface InvokerOptions {
  /** Beside the functions' own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onLog: (text: string) => void;
  /** Instances of one function at once; more events wait, where Lambda refuses them: one machine has no other to offer. */
  readonly maxInstances?: number;
}

export type InvokeResult = Outcome | { readonly kind: 'event too large' } | { readonly kind: 'no instance' };

/** Runs functions as Lambda does: an event goes to a free instance, to a new one while there are fewer than the bound, or waits for one. */
export class FunctionInvoker {
  private readonly pools: ReadonlyMap<string, Pool>;
  private readonly onLog: (text: string) => void;

  constructor(definitions: ReadonlyMap<string, FunctionDefinition>, options: InvokerOptions) {
    this.pools = new Map([...definitions].map(([name, definition]) => [name, new Pool(definition, options)]));
    this.onLog = options.onLog;
  }

  /** @returns how it ended; never throws for anything that the function does */
  async invoke(functionName: string, event: object, requestId: string): Promise<InvokeResult> {
    const pool = this.pools.get(functionName);
    if (pool === undefined) throw new Error(`there is no function ${functionName}`);
    if (Buffer.byteLength(JSON.stringify(event)) > MAX_PAYLOAD) return { kind: 'event too large' };
    const run = await pool.run(event, requestId);
    if (run === undefined) return { kind: 'no instance' };
    const outcome = withinLimit(run);
    if (outcome.kind === 'failure') this.onLog(`${functionName}: ${outcome.reason}\n`);
    return outcome;
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }
}

function withinLimit(outcome: Outcome): Outcome {
  const bytes = outcome.kind === 'result' ? Buffer.byteLength(outcome.payload) : 0;
  if (bytes <= MAX_PAYLOAD) return outcome;
  return { kind: 'failure', reason: `the answer of ${bytes} bytes of JSON is larger than Lambda's ${MAX_PAYLOAD}` };
}

class Pool {
  private readonly definition: FunctionDefinition;
  private readonly options: InvokerOptions;
  private readonly maxInstances: number;
  private readonly all = new Set<FunctionInstance>();
  private readonly idle: FunctionInstance[] = [];
  private readonly waiting: (() => void)[] = [];
  private closed = false;

  constructor(definition: FunctionDefinition, options: InvokerOptions) {
    this.definition = definition;
    this.options = options;
    this.maxInstances = options.maxInstances ?? Math.max(2, availableParallelism());
  }

  /** @returns undefined where the pool is closed before there is an instance for the event */
  async run(event: object, requestId: string): Promise<Outcome | undefined> {
    const instance = await this.take();
    if (instance === undefined) return undefined;
    const outcome = await instance.invoke(event, requestId);
    if (instance.usable) this.idle.push(instance);
    else this.all.delete(instance);
    this.waiting.shift()?.();
    return outcome;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const wake of this.waiting.splice(0)) wake();
    await Promise.all([...this.all].map((instance) => instance.close()));
  }

  /** The instance used last goes first, as in Lambda: the others would otherwise never become idle. */
  private async take(): Promise<FunctionInstance | undefined> {
    while (!this.closed) {
      const free = this.idle.pop();
      if (free?.usable === true) return free;
      if (free !== undefined) this.all.delete(free);
      else if (this.all.size < this.maxInstances) return this.start();
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return undefined;
  }

  private start(): FunctionInstance {
    const instance = new FunctionInstance(this.definition, this.options);
    this.all.add(instance);
    return instance;
  }
}
