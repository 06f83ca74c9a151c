import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../../shared/load/load-report.ts';

/** The progress of a load. A folder that is loaded through a bucket is sent and verified first; these two stages count bytes. */
export interface ShownProgress extends Omit<Progress, 'stage'> {
  readonly stage: Progress['stage'] | 'send' | 'verify';
  /** The rate of the load's writes, in units per second, since the table first rejected one; undefined before that. */
  readonly throttledTo?: number | undefined;
}

/** Shows the progress of a load to a person. */
export interface ProgressView {
  update(progress: ShownProgress): void;
  /** Completes the current line; call it before anything else is printed. */
  end(): void;
}

const DOING: Readonly<Record<ShownProgress['stage'], string>> = {
  send: 'sending',
  verify: 'verifying',
  check: 'checking',
  'write listings': 'writing listings',
  'write facts': 'writing facts',
};
const DONE: Readonly<Record<ShownProgress['stage'], string>> = {
  send: 'sent',
  verify: 'verified',
  check: 'checked',
  'write listings': 'wrote',
  'write facts': 'wrote facts:',
};

/** @returns on a terminal, a bar with amount and remaining time; otherwise a line per completed stage, and one when the load is first throttled in a stage */
export function showProgress(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? new Bars(stream) : new Lines(stream);
}

class Bars implements ProgressView {
  readonly #stream: NodeJS.WriteStream;
  #bar: SingleBar | undefined;
  #stage: ShownProgress['stage'] | undefined;
  #began = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  update(progress: ShownProgress): void {
    const { stage, done, total } = progress;
    // a note ends the bar in the middle of a stage
    if (stage !== this.#stage || (this.#bar === undefined && done < total)) this.#begin(progress);
    const amount = amountOf(progress, performance.now() - this.#began);
    this.#bar?.update(done, { amount: [amount, throttling(progress)].filter(Boolean).join(', ') });
    if (done >= total) this.end();
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #begin({ stage, total }: ShownProgress): void {
    this.end();
    this.#stage = stage;
    this.#began = performance.now();
    const format = `${DOING[stage].padEnd(17)} {bar} {percentage}% · {amount} · {eta_formatted} left`;
    this.#bar = new SingleBar(
      { format, stream: this.#stream, etaBuffer: 50, hideCursor: null }, // the ETA is from the last 50 updates; null: the cursor stays as it is
      Presets.shades_classic,
    );
    this.#bar.start(total, 0, { amount: '' });
  }
}

class Lines implements ProgressView {
  readonly #stream: NodeJS.WriteStream;
  #last: ShownProgress | undefined;
  #began = performance.now();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  update(progress: ShownProgress): void {
    if (this.#last !== undefined && this.#last.stage !== progress.stage) this.end();
    const throttled = throttling(progress);
    if (throttled !== undefined && this.#last?.throttledTo === undefined) this.#stream.write(`${throttled}\n`);
    this.#last = progress;
  }

  end(): void {
    const last = this.#last;
    if (last === undefined) return;
    const elapsed = performance.now() - this.#began;
    this.#stream.write(`${DONE[last.stage]} ${amountOf(last, elapsed)} in ${(elapsed / 1000).toFixed(1)} s\n`);
    this.#last = undefined;
    this.#began = performance.now();
  }
}

function throttling({ throttledTo }: ShownProgress): string | undefined {
  if (throttledTo === undefined) return undefined;
  return `throttled by the table: ${Math.round(throttledTo).toLocaleString('en-US')} units/s`;
}

function amountOf({ stage, done, total, rows }: ShownProgress, elapsedMs: number): string {
  if (stage === 'send' || stage === 'verify') return `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
  if (stage === 'write listings')
    return `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} parts of the listings`;
  const rate = Math.round(rows / Math.max(elapsedMs / 1000, 0.001));
  return `${rows.toLocaleString('en-US')} rows, ${rate.toLocaleString('en-US')} rows/s`;
}
