/** Runs checks one after the other, and prints a line about each: what it found, or why it failed. */
export class Checklist {
  readonly #print: (line: string) => void;
  #passed = 0;
  readonly #failed: string[] = [];

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get passedCount(): number {
    return this.#passed;
  }

  /** The names of the checks that failed, in order. */
  get failedNames(): readonly string[] {
    return this.#failed;
  }

  /** @param check returns what it found, in words; throws an error whose message says what is wrong */
  async run(name: string, check: () => Promise<string>): Promise<void> {
    try {
      const found = await check();
      this.#passed++;
      this.#print(`ok    ${name}: ${found}`);
    } catch (error) {
      this.#failed.push(name);
      this.#print(`FAIL  ${name}: ${reasonOf(error)}`);
    }
  }
}

/** @returns the error's message, followed by its cause's: `fetch` itself reports only "fetch failed" */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name, cause } = error;
  return `${message === '' ? name : message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}
