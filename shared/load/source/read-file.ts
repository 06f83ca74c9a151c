import type { ColumnSpec } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { FileSource } from './file-source.ts';
import { type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';
import { openSections, type RowFile } from './sections.ts';

/** What a folder's files are read with. */
export interface Reading {
  readonly source: FileSource;
  readonly problems: Problems;
  /** A directory for data that do not fit into memory, removed at the end. */
  readonly temporary: string;
  readonly signal: AbortSignal;
}

/** Reads one file's rows in batches, one of which is in memory at a time. Problems of the file go to `problems`; the readable rows are yielded nevertheless. */
export async function* readFile(
  reading: Reading,
  file: RowFile,
  columns: readonly ColumnSpec[],
): AsyncGenerator<RowBatch> {
  const { source, problems, temporary, signal } = reading;
  const sink = new FileSink(file.name, columns, problems);
  try {
    for await (const section of openSections(source, file, sink, temporary)) {
      signal.throwIfAborted();
      yield await section.read(sink);
    }
  } catch (error) {
    sink.fail(error);
  }
}

/** Turns what readers report into problems. Each unknown column is one problem, and so are the required columns that the file lacks. */
export class FileSink implements RowSink {
  readonly #file: string;
  readonly #columns: readonly ColumnSpec[];
  readonly #problems: Problems;
  readonly #seen = new Set<string>();

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
    const missing = this.#columns
      .filter((column) => column.required === true && !names.includes(column.name))
      .map((column) => column.name);
    if (missing.length > 0) throw new UnreadableFileError(line, `lacks the required columns ${missing.join(', ')}`);
  }

  column(name: string, line: number): void {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    const known = this.#columns.map((column) => column.name);
    if (known.includes(name)) return;
    const reason = `is not a column of this file; its columns are ${known.join(', ')}`;
    this.#problems.add({ file: this.#file, line, field: name, reason });
  }

  /** Reports that the rest of the file cannot be read. @throws the error if the file does not cause it */
  fail(error: unknown): void {
    if (!(error instanceof UnreadableFileError)) throw error;
    this.#problems.add({ file: this.#file, line: error.line, field: null, reason: error.message });
  }
}
