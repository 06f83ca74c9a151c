import type { Bucket } from './bucket.ts';
import { type IngestProgress, PROGRESS_FILE } from './report-file.ts';

type Header = Pick<IngestProgress, 'id' | 'arrival'>;

const MIN_INTERVAL_MS = 2_000;

/** Writes the progress of a load to a file in its folder, at most every two seconds and one write at a time. */
export class ProgressWriter {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #header: Header;
  #writing = Promise.resolve();
  #wroteAt = Number.NEGATIVE_INFINITY;

  constructor(bucket: Bucket, prefix: string, header: Header) {
    this.#bucket = bucket;
    this.#key = `${prefix}${PROGRESS_FILE}`;
    this.#header = header;
  }

  report(progress: Omit<IngestProgress, keyof Header | 'at'>): void {
    const now = performance.now();
    if (now - this.#wroteAt < MIN_INTERVAL_MS) return;
    this.#wroteAt = now;
    const content: IngestProgress = { ...this.#header, at: new Date().toISOString(), ...progress };
    // a load continues even if its progress cannot be written
    this.#writing = this.#writing.then(() => this.#bucket.writeJson(this.#key, content)).catch(() => undefined);
  }

  /** Ignores later reports. Returns once no write is in progress. */
  async close(): Promise<void> {
    this.#wroteAt = Number.POSITIVE_INFINITY;
    await this.#writing;
  }
}
