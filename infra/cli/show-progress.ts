import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../../shared/load/check/load-report.ts';

/** The progress of a load. A folder that is loaded through a bucket is sent and verified first; these two stages count bytes. */
export interface ShownProgress extends Omit<Progress, 'stage'> {
  readonly stage: Progress['stage'] | 'send' | 'verify';
  /** The rate of the load's writes, in units per second, since the table first rejected one; undefined before that. */
  readonly throttledTo?: number | undefined;
}

interface ProgressView {
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

/**
 * @returns on a terminal, a bar with amount and remaining time; otherwise a line per completed stage, and one in each stage in which the table throttles the
 * load. If a load ends in the middle of a stage, that has no line.
 */
export function showProgress(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? new Bars(stream) : new Lines(stream);
}

class Bars implements ProgressView {
  readonly #stream: NodeJS.WriteStream;
  #bar: SingleBar | undefined;
  #stage: Stage | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  update(progress: ShownProgress): void {
    if (this.#stage?.continuesWith(progress) !== true) {
      this.end();
      this.#stage = new Stage(progress);
    }
    this.#stage.last = progress;
    const status = [this.#stage.amount(), throttling(progress), this.#stage.timeLeft()].filter(Boolean).join(', ');
    this.#bar ??= this.#openBar(progress, status); // a note closes it in the middle of a stage
    this.#bar.update(progress.done, { status });
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #openBar({ stage, done, total }: ShownProgress, status: string): SingleBar {
    const format = `${DOING[stage].padEnd(17)} {bar} {percentage}% · {status}`;
    // null: the cursor stays as it is
    const bar = new SingleBar({ format, stream: this.#stream, hideCursor: null }, Presets.shades_classic);
    bar.start(total, done, { status });
    return bar;
  }
}

class Lines implements ProgressView {
  readonly #stream: NodeJS.WriteStream;
  #stage: Stage | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  update(progress: ShownProgress): void {
    if (this.#stage?.continuesWith(progress) !== true) {
      if (this.#stage?.isDoneBefore(progress) === true) this.#printLine(this.#stage);
      this.#stage = new Stage(progress);
    }
    const throttled = throttling(progress);
    if (throttled !== undefined && !this.#stage.wasThrottled) {
      this.#stage.wasThrottled = true;
      this.#stream.write(`${throttled}\n`);
    }
    this.#stage.last = progress;
  }

  end(): void {
    if (this.#stage?.isDone !== true) return;
    this.#printLine(this.#stage);
    this.#stage = undefined;
  }

  #printLine(stage: Stage): void {
    const words = [DONE[stage.last.stage], stage.finalAmount(), `in ${(stage.elapsedMs / 1000).toFixed(1)} s`];
    this.#stream.write(`${words.filter(Boolean).join(' ')}\n`);
  }
}

/** The stages in the order in which a load passes them, as in DOING. */
const ORDER = Object.keys(DOING);

/** A stage since its first progress, which may come late: the progress of a load through a bucket is read every two seconds. */
class Stage {
  last: ShownProgress;
  wasThrottled = false;
  readonly #first: ShownProgress;
  readonly #began = performance.now();

  constructor(first: ShownProgress) {
    this.#first = first;
    this.last = first;
  }

  get isDone(): boolean {
    return this.last.done >= this.last.total;
  }

  get elapsedMs(): number {
    return performance.now() - this.#began;
  }

  /** @returns whether the progress is of this stage, and not of another one, or of the same one in the next attempt of the load. While files are sent, `done` may decrease. */
  continuesWith({ stage, done }: ShownProgress): boolean {
    return stage === this.last.stage && (stage === 'send' || done >= this.last.done);
  }

  /** @returns whether the stage was completed if this progress came next; if not, it is of the next attempt of the load */
  isDoneBefore({ stage }: ShownProgress): boolean {
    return this.isDone || ORDER.indexOf(stage) > ORDER.indexOf(this.last.stage);
  }

  /** @returns how much is done, and after a second at which rate, in words */
  amount(): string {
    const { stage, done, total, rows } = this.last;
    if (stage === 'send' || stage === 'verify') return `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
    if (stage === 'write listings')
      return `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} parts of the listings`;
    const amount = `${rows.toLocaleString('en-US')} rows`;
    if (this.elapsedMs < 1000) return amount;
    const rate = Math.round(((rows - this.#first.rows) / this.elapsedMs) * 1000);
    return `${amount}, ${rate.toLocaleString('en-US')} rows/s`;
  }

  /** @returns the amount of the completed stage; '' if its last progress was not seen */
  finalAmount(): string {
    return this.isDone ? this.amount() : '';
  }

  /** @returns the remaining time in words, estimated by the time since the first progress; '' if there is no estimate yet, or nothing left */
  timeLeft(): string {
    const { done, total } = this.last;
    const progressed = done - this.#first.done;
    if (progressed <= 0 || this.elapsedMs < 1000 || this.isDone) return '';
    const seconds = Math.ceil((this.elapsedMs * (total - done)) / progressed / 1000);
    return seconds < 60 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`;
  }
}

function throttling({ throttledTo }: ShownProgress): string | undefined {
  if (throttledTo === undefined) return undefined;
  return `throttled by the table: ${Math.round(throttledTo).toLocaleString('en-US')} units/s`;
}
