import type { Bucket } from './bucket.ts';
import { type Arrival, type IngestProgress, PROGRESS_FILE } from './report-file.ts';

const EVERY_MS = 2_000;

/** Writes beside a folder how far its load is: every two seconds at most, and one after another. */
export class ProgressWriter {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #about: { readonly id?: string; readonly arrival: Arrival };
  #writing = Promise.resolve();
  #wroteAt = Number.NEGATIVE_INFINITY;

  constructor(bucket: Bucket, prefix: string, about: { readonly id?: string; readonly arrival: Arrival }) {
    this.#bucket = bucket;
    this.#key = `${prefix}${PROGRESS_FILE}`;
    this.#about = about;
  }

  tell(progress: Pick<IngestProgress, 'stage' | 'done' | 'total' | 'rows'>): void {
    const now = performance.now();
    if (now - this.#wroteAt < EVERY_MS) return;
    this.#wroteAt = now;
    const content: IngestProgress = { ...this.#about, at: new Date().toISOString(), ...progress };
    const text = `${JSON.stringify(content, undefined, 2)}\n`;
    // that nobody is told how far it is does not end a load
    this.#writing = this.#writing.then(() => this.#bucket.writeText(this.#key, text)).catch(() => undefined);
  }

  /** Returns when nothing is under way any more. */
  async close(): Promise<void> {
    this.#wroteAt = Number.POSITIVE_INFINITY;
    await this.#writing;
  }
}
