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
  #last: Omit<IngestProgress, keyof Header | 'at'> = { stage: 'check', done: 0, total: 0, rows: 0 };

  constructor(bucket: Bucket, prefix: string, header: Header) {
    this.#bucket = bucket;
    this.#key = `${prefix}${PROGRESS_FILE}`;
    this.#header = header;
  }

  /** Writes why the load waits, in any case: no progress may follow for a while. */
  reportWait(waitsFor: string): void {
    this.#write({ ...this.#last, waitsFor });
  }

  report(progress: Omit<IngestProgress, keyof Header | 'at'>): void {
    this.#last = progress;
    const now = performance.now();
    if (now - this.#wroteAt < MIN_INTERVAL_MS) return;
    this.#wroteAt = now;
    this.#write(progress);
  }

  #write(progress: Omit<IngestProgress, keyof Header | 'at'>): void {
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
