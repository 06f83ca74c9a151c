import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(import.meta.url);

/** An instance of a function: its deployed bundle in a process, which handles one event after another. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #ended = new AbortController();

  /** @param file the bundle. @param environment the function's own variables and those of Lambda's runtime */
  constructor(file: string, environment: Readonly<Record<string, string>>) {
    // a group of its own, with the processes that the function starts
    this.#child = fork(SCRIPT, [file], {
      env: { ...process.env, ...environment },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    });
    this.#child.once('exit', () => this.#ended.abort(new Error(`the process of ${file} has ended`)));
  }

  /** @returns the function's result. @throws Error if the process ends */
  async invoke(event: object): Promise<unknown> {
    this.#child.send(event);
    const [result] = await once(this.#child, 'message', { signal: this.#ended.signal });
    return result;
  }

  /** Stops the function as Lambda does between two events: its sockets stay open, and its timers do not run. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  end(): void {
    if (!this.#ended.signal.aborted) this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the process has not started');
    process.kill(-pid, signal);
  }
}

const [, script, file] = process.argv;
if (script === SCRIPT && file !== undefined) {
  const { handler } = await import(file);
  const context = { functionName: 'frozen', awsRequestId: 'request-1', getRemainingTimeInMillis: () => 900_000 };
  process.on('message', async (event) => process.send?.(await handler(event, context)));
}
