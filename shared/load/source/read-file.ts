import type { ColumnSpec } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { FileSource } from './file-source.ts';
import { type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';
import { openSections, type RowFile } from './sections.ts';

/** What the reading of a folder's files has in common. */
export interface Reading {
  readonly source: FileSource;
  readonly problems: Problems;
  /** A directory for what does not fit into memory, removed at the end. */
  readonly temporary: string;
  readonly signal: AbortSignal;
}

/** Reads one file's rows in batches, each gone when the next is asked for. What is wrong with the file goes to the problems; what can be read is yielded all the same. */
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
    sink.end(error);
  }
}

/** Takes what readers tell of a file: each unknown column is one problem, and so are required ones that the file lacks. */
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
    const missing = this.#columns.filter((it) => it.required === true && !names.includes(it.name)).map((it) => it.name);
    if (missing.length > 0) throw new UnreadableFileError(line, `lacks the required columns ${missing.join(', ')}`);
  }

  column(name: string, line: number): void {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    const known = this.#columns.map((it) => it.name);
    if (known.includes(name)) return;
    const reason = `is not a column of this file; its columns are ${known.join(', ')}`;
    this.#problems.add({ file: this.#file, line, field: name, reason });
  }

  /** The file cannot be read on. @throws the error where it is not the file's fault */
  end(error: unknown): void {
    if (!(error instanceof UnreadableFileError)) throw error;
    this.#problems.add({ file: this.#file, line: error.line, field: null, reason: error.message });
  }
}
