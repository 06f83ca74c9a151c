import { EmptyCellCounts } from './empty-cells.ts';
import { Roundings } from './roundings.ts';

/** Something wrong with a folder. A folder with problems is not loaded. */
export interface Problem {
  /** Name below the folder, with `/`; the name of the folder if the problem is about the folder. */
  readonly file: string;
  /** Line of the file, from 1 (the row, from 1, in Parquet); null if the problem is not about one line. */
  readonly line: number | null;
  /** The column; null if the problem is about the whole row or file. */
  readonly field: string | null;
  /** What is wrong and what is allowed, as the end of a sentence that begins with the field, row or file. */
  readonly reason: string;
  /** How many more rows of the file have the same problem, counted once `MAX_EXAMPLES` rows with it are listed; absent if none is. */
  readonly repeats?: number;
  /** How many more files of the table have the same problem with a column; absent if none has. */
  readonly files?: number;
}

/** How many problems a report lists, unless another number is given. */
export const MAX_PROBLEMS = 1_000;
/** How many examples a message has, and how many rows with the same problem are listed; the others are counted with the last of them. */
export const MAX_EXAMPLES = 3;

/** Beyond so many problems, the rest of a file is not read: it would take hours to count those of 10 GB. */
export const MAX_COUNTED = 1_000_000;

/** Counts all problems of a folder and holds the first `limit`, of which at most `MAX_EXAMPLES` are the same. */
export class Problems {
  readonly limit: number;
  /** What of the files is ignored. */
  readonly warnings: string[] = [];
  readonly roundings = new Roundings();
  readonly emptyCells = new EmptyCellCounts();
  readonly #first: Problem[] = [];
  /** Where the same problems are in the list. */
  readonly #places = new Map<string, number[]>();
  readonly #damaged = new Set<string>();
  #count = 0;

  constructor(limit = MAX_PROBLEMS) {
    this.limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** @returns the first problems, file by file, by ascending line; those without a line come last */
  list(): Problem[] {
    const lineOf = (problem: Problem) => problem.line ?? Number.POSITIVE_INFINITY;
    const byFile = Map.groupBy(this.#first, (problem) => problem.file);
    // infinity minus infinity is NaN, which becomes 0
    return [...byFile.values()].flatMap((list) => list.sort((a, b) => lineOf(a) - lineOf(b) || 0));
  }

  /** @param table of whose files this problem is one, because it is about a column */
  add(problem: Problem, table?: string): void {
    const { file, field, reason, repeats = 0 } = problem;
    if (field === null) this.#damaged.add(file);
    const key = JSON.stringify([table ?? file, field, reason]);
    const places = this.#places.get(key) ?? [];
    const isFull = places.length === (table === undefined ? MAX_EXAMPLES : 1);
    const last = isFull ? this.#first[places.at(-1) ?? 0] : undefined;
    if (last === undefined || table === undefined) this.#count += 1 + repeats;
    if (last !== undefined && table !== undefined) {
      this.#first[places.at(-1) ?? 0] = { ...last, files: (last.files ?? 0) + 1 };
    } else if (last !== undefined) {
      this.#first[places.at(-1) ?? 0] = { ...last, repeats: (last.repeats ?? 0) + 1 + repeats };
    } else if (this.#first.length < this.limit) {
      places.push(this.#first.push(problem) - 1);
      this.#places.set(key, places);
    }
  }

  /** Adds a problem about the whole file. */
  addFile(file: string, reason: string): void {
    this.add({ file, line: null, field: null, reason });
  }

  /** @returns whether the file has a problem without a field: some of its rows may not have been read */
  isDamaged(file: string): boolean {
    return this.#damaged.has(file);
  }

  /** Adds the problems of a batch; those beyond `first` are only counted. */
  addRows(file: string, { first, unseen }: ReturnType<BatchProblems['finish']>): void {
    for (const problem of first) this.add({ file, ...problem });
    this.#count += unseen;
  }
}

interface RowProblem {
  readonly row: number;
  readonly field: string | null;
  readonly reason: string;
  repeats: number;
}

/**
 * Gathers the problems of one batch of rows, found column by column and listed row by row. Of each column only the first `limit` are held: no more
 * of them could be shown.
 */
export class BatchProblems {
  readonly #limit: number;
  readonly #found: RowProblem[] = [];
  readonly #columns = new Map<string | null, { held: number; readonly same: Map<string, RowProblem[]> }>();
  #unseen = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a problem. Those with the same field and reason are added by ascending row. */
  add(row: number, field: string | null, reason: string): void {
    const column = this.#columns.get(field) ?? { held: 0, same: new Map<string, RowProblem[]>() };
    this.#columns.set(field, column);
    const same = column.same.get(reason) ?? [];
    const last = same[MAX_EXAMPLES - 1];
    if (last !== undefined) {
      last.repeats++;
    } else if (column.held < this.#limit) {
      const problem = { row, field, reason, repeats: 0 };
      this.#found.push(problem);
      column.same.set(reason, [...same, problem]);
      column.held++;
    } else {
      this.#unseen++;
    }
  }

  /** @returns the first problems in the order of the rows, within a row in the order they were added; and how many more there are, besides the repeats of the first */
  finish(lineOf: (row: number) => number) {
    const sorted = this.#found.sort((a, b) => a.row - b.row); // stable
    return {
      first: sorted.map(({ row, field, reason, repeats }) => {
        return { line: lineOf(row), field, reason, ...(repeats === 0 ? {} : { repeats }) };
      }),
      unseen: this.#unseen,
    };
  }
}

/** @returns why an id is wrong that a listing lacks */
export const explainUnknownId = (id: unknown, listing = '', isDeleted = false) =>
  `${id} is not among the ${listing}${isDeleted ? ': a patch deleted it, and npx endcap audit says when' : ''}`;
export const isUnknownId = ({ reason }: Pick<Problem, 'reason'>): boolean =>
  / is not among the \w+(: a patch .*)?$/.test(reason);

/** @returns the problem in one line, beginning with a position that editors can open */
export function formatProblem({ file, line, field, reason, repeats = 0, files = 0 }: Problem): string {
  const place = line === null ? file : `${file}:${line}`;
  const [rest, noun] = files === 0 ? [repeats, 'row'] : [files, 'file'];
  const more = rest === 0 ? '' : ` (and ${rest.toLocaleString('en-US')} more ${noun}${rest === 1 ? '' : 's'})`;
  return `${place}: ${field === null ? '' : `${field} `}${reason}${more}`;
}

/** @returns how many of a folder's problems are neither listed nor repeats of listed ones */
export function countUnlisted(problems: readonly Problem[], count: number): number {
  return problems.reduce((rest, { repeats = 0 }) => rest - 1 - repeats, count);
}
