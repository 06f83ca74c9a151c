/** Something wrong with a folder. A folder with problems is not loaded. */
export interface Problem {
  /** Name below the folder, with `/`. */
  readonly file: string;
  /** Line of the file, from 1 (the row, from 1, in Parquet); null if the problem is about the whole file. */
  readonly line: number | null;
  /** The column; null if the problem is about the whole row or file. */
  readonly field: string | null;
  /** What is wrong and what is allowed, as the end of a sentence that begins with the field, row or file. */
  readonly reason: string;
}

/** Counts all problems of a folder and holds the first `limit`. */
export class Problems {
  readonly limit: number;
  readonly #first: Problem[] = [];
  readonly #damaged = new Set<string>();
  #count = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** @returns the first problems, file by file, by ascending line; problems of a whole file come last */
  list(): Problem[] {
    const lineOf = (problem: Problem) => problem.line ?? Number.POSITIVE_INFINITY;
    const byFile = Map.groupBy(this.#first, (problem) => problem.file);
    return [...byFile.values()].flatMap((list) => list.sort((a, b) => Math.sign(lineOf(a) - lineOf(b)) || 0));
  }

  add(problem: Problem): void {
    this.#count++;
    if (problem.field === null) this.#damaged.add(problem.file);
    if (this.#first.length < this.limit) this.#first.push(problem);
  }

  /** Adds a problem about the whole file. */
  addFile(file: string, reason: string): void {
    this.add({ file, line: null, field: null, reason });
  }

  /** @returns whether rows of the file could not be read */
  isDamaged(file: string): boolean {
    return this.#damaged.has(file);
  }

  addRows(file: string, { first, unseen }: RowProblems): void {
    for (const problem of first) this.add({ file, ...problem });
    this.#count += unseen;
  }
}

/** The problems of some rows of a file. */
export interface RowProblems {
  readonly first: readonly Omit<Problem, 'file'>[];
  /** How many more there are. */
  readonly unseen: number;
}

/**
 * Gathers the problems of one batch of rows, found column by column and listed row by row. Of each column only the first `limit` are held: no
 * more of them could be shown.
 */
export class BatchProblems {
  readonly #limit: number;
  readonly #found: { row: number; field: string | null; reason: string }[] = [];
  readonly #perColumn = new Map<string | null, number>();
  #unseen = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a problem. The problems of a column are added by ascending row. */
  add(row: number, field: string | null, reason: string): void {
    const before = this.#perColumn.get(field) ?? 0;
    this.#perColumn.set(field, before + 1);
    if (before < this.#limit) this.#found.push({ row, field, reason });
    else this.#unseen++;
  }

  /** @returns the problems in the order of the rows, within a row in the order the columns were read */
  finish(lineOf: (row: number) => number): RowProblems {
    const sorted = this.#found.sort((a, b) => a.row - b.row); // stable
    return {
      first: sorted.map(({ row, field, reason }) => ({ line: lineOf(row), field, reason })),
      unseen: this.#unseen,
    };
  }
}

/** @returns the problem in one line, beginning with a position that editors can open */
export function formatProblem({ file, line, field, reason }: Problem): string {
  const place = line === null ? file : `${file}:${line}`;
  return `${place}: ${field === null ? '' : `${field} `}${reason}`;
}
