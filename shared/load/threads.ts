import { Worker } from 'node:worker_threads';

/** Threads of one kind: each answers every task with one message, and takes the next one after that. */
export class Threads<Told, Task> {
  readonly #workers: readonly Worker[];
  readonly #idle: number[];
  readonly #waiting: PromiseWithResolvers<number>[] = [];
  /** Set once a thread has failed: then no task is taken any more. */
  #failure: Error | undefined;

  /** @param script what each thread runs */
  constructor(script: URL, count: number) {
    this.#workers = Array.from({ length: count }, () => new Worker(script));
    this.#idle = [...this.#workers.keys()];
  }

  /** Tells every thread something that has no answer. */
  tell(message: Told): void {
    for (const worker of this.#workers) worker.postMessage(message);
  }

  /**
   * @param buffers of the task, which are the thread's from now on
   * @returns the answer
   * @throws Error when any thread has failed
   */
  async run<Answer>(task: Task, buffers: readonly ArrayBuffer[]): Promise<Answer> {
    const thread = await this.#take();
    const worker = this.#workers[thread];
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    worker?.once('message', resolve).once('error', reject);
    try {
      worker?.postMessage(task, buffers);
      const answer = await promise;
      this.#giveBack(thread);
      return answer;
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      worker?.off('message', resolve).off('error', reject);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #take(): Promise<number> {
    if (this.#failure !== undefined) throw this.#failure;
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const turn = Promise.withResolvers<number>();
    this.#waiting.push(turn);
    return turn.promise;
  }

  #giveBack(thread: number): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(thread);
    else next.resolve(thread);
  }

  #fail(error: unknown): void {
    this.#failure ??= new Error('a thread of the load has failed', { cause: error });
    for (const turn of this.#waiting.splice(0)) turn.reject(this.#failure);
  }
}
