import type { ColumnSpec } from './file-columns.ts';
import type { FileSource } from './file-source.ts';
import { openRows, type RowFile } from './open-rows.ts';
import type { Problems } from './problems.ts';
import { type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';

/** What the reading of a folder's files has in common. */
export interface Reading {
  readonly source: FileSource;
  readonly problems: Problems;
  /** A directory for what does not fit into memory, removed at the end. */
  readonly temporary: string;
  readonly signal: AbortSignal;
}

/**
 * Reads one file's rows in batches. Unknown and missing columns, malformed rows and a damaged file go to the problems; what could be read of
 * the file is yielded all the same.
 */
export async function* readFile(
  reading: Reading,
  file: RowFile,
  columns: readonly ColumnSpec[],
): AsyncGenerator<RowBatch> {
  const { source, problems, temporary, signal } = reading;
  try {
    for await (const batch of openRows(source, file, new FileSink(file.name, columns, problems), temporary)) {
      signal.throwIfAborted();
      yield batch;
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    problems.add({ file: file.name, line: error.line, field: null, reason: error.message });
  }
}

class FileSink implements RowSink {
  readonly #file: string;
  readonly #columns: readonly ColumnSpec[];
  readonly #problems: Problems;

  constructor(file: string, columns: readonly ColumnSpec[], problems: Problems) {
    this.#file = file;
    this.#columns = columns;
    this.#problems = problems;
  }

  problem(line: number, reason: string): void {
    this.#problems.add({ file: this.#file, line, field: null, reason });
  }

  header(names: readonly string[], line: number): void {
    for (const name of names) this.column(name, line);
    const missing = this.#columns.filter((it) => it.required === true && !names.includes(it.name)).map((it) => it.name);
    if (missing.length > 0) throw new UnreadableFileError(line, `lacks the required columns ${missing.join(', ')}`);
  }

  column(name: string, line: number): void {
    const known = this.#columns.map((it) => it.name);
    if (known.includes(name)) return;
    this.#problems.add({
      file: this.#file,
      line,
      field: name,
      reason: `is not a column of this file; its columns are ${known.join(', ')}`,
    });
  }
}
