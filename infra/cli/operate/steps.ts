import { setTimeout as sleep } from 'node:timers/promises';
import { writeLine } from '../run-cli.ts';

export interface Result {
  readonly name: string;
  readonly expected: string;
  readonly outcome: 'as expected' | 'not as expected' | 'not shown';
  readonly seen: string;
  readonly seconds: number;
}

/** What a step expects cannot be seen here, such as a service that an emulator does not have. */
export class NotShown extends Error {}

export const onEmulator = (): boolean => process.env.AWS_ENDPOINT_URL !== undefined;

/** @returns the error for something that is absent as a whole: AWS must have it, and an emulator does not show it */
export const absent = (what: string): Error => (onEmulator() ? new NotShown(what) : new Error(what));

/** Runs steps one after another, and prints a line about each. */
export class Steps {
  readonly results: Result[] = [];
  readonly #signal: AbortSignal | undefined;

  /** @param signal no step begins after it, but those of `runAlways` */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** @param step returns what it saw; throws `NotShown`, or an error that says what is not as expected. @returns whether it was as expected */
  async run(name: string, expected: string, step: () => Promise<string>): Promise<boolean> {
    return this.#signal?.aborted ? false : this.runAlways(name, expected, step);
  }

  async runAlways(name: string, expected: string, step: () => Promise<string>): Promise<boolean> {
    const started = performance.now();
    const found = await runStep(step);
    this.results.push({ name, expected, ...found, seconds: Math.round((performance.now() - started) / 1000) });
    writeLine(process.stdout, `${found.outcome.padEnd(15)}  ${name}: ${found.seen}`);
    return found.outcome === 'as expected';
  }
}

async function runStep(step: () => Promise<string>): Promise<Pick<Result, 'outcome' | 'seen'>> {
  try {
    return { outcome: 'as expected', seen: await step() };
  } catch (error) {
    return { outcome: error instanceof NotShown ? 'not shown' : 'not as expected', seen: reasonOf(error) };
  }
}

/** @returns the error's message, followed by its cause's: `fetch` itself reports only "fetch failed" */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name, cause } = error;
  return `${message === '' ? name : message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}

/** @returns the first value other than undefined that `find` returns, called every three seconds; undefined after `seconds` */
export async function poll<T>(
  seconds: number,
  find: () => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const endsAt = Date.now() + seconds * 1000;
  for (;;) {
    const found = await find();
    if (found !== undefined || Date.now() >= endsAt) return found;
    await sleep(3_000, undefined, { signal });
  }
}
