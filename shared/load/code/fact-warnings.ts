import type { Experience, FactTable } from '../../catalog/tables.ts';

/** Kinds of suspicious facts: usually a mistake, but loaded with a warning. */
export type Suspicion =
  | 'skippedHour'
  | 'foreignCreative'
  | 'unknownProduct'
  | 'overlongActivity'
  | 'unscheduledActivity';

/** Suspicious rows of one kind. Plain data, which threads send. */
export interface Finding {
  readonly kind: Suspicion;
  readonly rows: number;
  /** The first distinct examples. */
  readonly examples: readonly Example[];
}

export interface Example {
  readonly what: string;
  /** Line of the file; absent if the example is a sum of rows. */
  readonly line?: number;
}

/** The facts that findings belong to. */
export interface FindingScope {
  readonly experience: Experience;
  readonly table: FactTable;
  readonly file?: string;
  /** Sort key of findings that are not added in their order. */
  readonly order?: string;
}

export const MAX_EXAMPLES = 2;

const DESCRIPTIONS: Readonly<Record<Suspicion, (timeZone: string) => string>> = {
  skippedHour: (timeZone) => `rows in an hour that clocks in ${timeZone} skip on that day`,
  foreignCreative: () => 'rows with a creative of another advertiser, whose name reports show nevertheless',
  unknownProduct: () => 'rows with an entity_id that is no product of the advertiser',
  overlongActivity: () => 'hours of ad groups with more live_seconds than the hour has',
  unscheduledActivity: () => 'hours of ad groups with more live_seconds than scheduled_seconds',
};

interface Warning {
  readonly text: string;
  rows: number;
  examples: readonly { readonly order: string; readonly text: string; readonly what: string }[];
}

/** Turns the findings of a load into warnings: one per kind and fact table, however many rows have it. */
export class FactWarnings {
  readonly #timeZone: string;
  readonly #warnings = new Map<string, Warning>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  add({ experience, table, file, order = '' }: FindingScope, findings: readonly Finding[]): void {
    for (const { kind, rows, examples } of findings) {
      const text = `facts/${experience}/${table}*: ${DESCRIPTIONS[kind](this.#timeZone)}`;
      const warning = this.#warnings.get(text) ?? { text, rows: 0, examples: [] };
      this.#warnings.set(text, warning);
      warning.rows += rows;
      const added = examples.map(({ what, line }) => ({
        ...{ order, what },
        text: file === undefined || line === undefined ? what : `${what} (${file}:${line})`,
      }));
      warning.examples = firstDistinct([...warning.examples, ...added]);
    }
  }

  /** @returns each warning as a sentence without its end */
  list(): string[] {
    return [...this.#warnings.values()].map(({ text, rows, examples }) => {
      return `${text}: ${rows.toLocaleString('en-US')}, such as ${examples.map((example) => example.text).join(' and ')}`;
    });
  }
}

function firstDistinct(examples: Warning['examples']): Warning['examples'] {
  const sorted = examples.toSorted((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order))); // stable
  return sorted
    .filter(({ what }, i) => sorted.findIndex((example) => example.what === what) === i)
    .slice(0, MAX_EXAMPLES);
}

/** Counts the suspicious rows of one kind, and holds the first examples. */
export class Tally {
  readonly #kind: Suspicion;
  readonly #examples: number[] = [];
  #first = Number.NaN;
  #rows = 0;

  constructor(kind: Suspicion) {
    this.#kind = kind;
  }

  /** @param value the suspicious value: rows with the same one are one example */
  add(row: number, value: number): void {
    this.#rows++;
    if (this.#examples.length === MAX_EXAMPLES || value === this.#first) return;
    if (this.#examples.length === 0) this.#first = value;
    this.#examples.push(row);
  }

  /** @returns the finding, if there is any */
  find(describe: (row: number) => Example): Finding[] {
    if (this.#rows === 0) return [];
    return [{ kind: this.#kind, rows: this.#rows, examples: this.#examples.map(describe) }];
  }
}
