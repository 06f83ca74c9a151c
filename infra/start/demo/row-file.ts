import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A gzipped NDJSON file that is written in batches of rows. */
export class RowFile {
  readonly path: string;
  rows = 0;
  readonly #gzip = createGzip({ level: 1 });
  readonly #written: Promise<void>;

  /** Creates an empty file, and its folder if that is missing. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.path = path;
    this.#written = pipeline(this.#gzip, createWriteStream(path));
    this.#written.catch(() => {}); // close() throws it
  }

  /** Resolves when the file can take more rows. */
  async write(rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return;
    this.rows += rows.length;
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  /** Resolves when all rows are on disk. @throws the first error of writing */
  async close(): Promise<void> {
    this.#gzip.end();
    await this.#written;
  }
}
