/** Runs checks one after the other, and prints a line about each: what was seen, or why it failed. */
export class Checklist {
  readonly #print: (line: string) => void;
  #passed = 0;
  readonly #failed: string[] = [];

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get passed(): number {
    return this.#passed;
  }

  /** The names of the checks that failed, in order. */
  get failed(): readonly string[] {
    return this.#failed;
  }

  /** @param look returns what it saw; throws an error whose message says what is wrong */
  async run(name: string, look: () => Promise<string>): Promise<void> {
    try {
      const seen = await look();
      this.#passed++;
      this.#print(`ok    ${name}: ${seen}`);
    } catch (error) {
      this.#failed.push(name);
      this.#print(`FAIL  ${name}: ${reasonOf(error)}`);
    }
  }
}

/** @returns the message with that of its cause: `fetch failed` says nothing without it */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name, cause } = error;
  return `${message === '' ? name : message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}
