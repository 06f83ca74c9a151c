import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A gzipped file of one JSON object a line. Nothing but the last rows is held in memory. */
export class RowFile {
  readonly path: string;
  rows = 0;
  readonly #gzip = createGzip({ level: 5 });
  readonly #written: Promise<void>;

  private constructor(path: string) {
    this.path = path;
    this.#written = pipeline(this.#gzip, createWriteStream(path));
    this.#written.catch(() => {}); // thrown by close()
  }

  /** Makes the folder, if need be, and an empty file. */
  static async create(path: string): Promise<RowFile> {
    await mkdir(dirname(path), { recursive: true });
    return new RowFile(path);
  }

  /** Resolves when there is room for more. */
  async write(rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return;
    this.rows += rows.length;
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  async close(): Promise<void> {
    this.#gzip.end();
    await this.#written;
  }
}
