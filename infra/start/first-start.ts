import type { Progress } from '../../shared/load/load-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import type { DataDir } from './data-dir.ts';
import { type DemoFiles, loadDemo } from './load-demo.ts';
import { type LocalStage, timeZoneOf } from './local-stage.ts';

/** A demo network that is still to be loaded. */
export interface PlannedDemo {
  /** The last day, `YYYY-MM-DD`. */
  readonly end: string;
  /** Whether an earlier start was cut off while it loaded. */
  readonly begun: boolean;
}

/** @returns undefined when the demo was loaded or declined before; one that was cut off is repeated as it was, whatever `end` is now */
export function planDemo(dataDir: Pick<DataDir, 'readDemo'>, end: string): PlannedDemo | undefined {
  const state = dataDir.readDemo();
  if (state?.state === 'begun') return { end: state.end, begun: true };
  return state === undefined ? { end, begun: false } : undefined;
}

/**
 * Loads the planned demo and notes that it is there: last, so that a start that was cut off anywhere is repeated by the next one. Data that were
 * there before any start are the owner's, and stay as they are.
 * @returns the last day of the demo that is in the table now, undefined without one
 */
export async function loadPlannedDemo(
  dataDir: DataDir,
  platform: LocalStage,
  demo: PlannedDemo | undefined,
  demoFiles: DemoFiles | undefined,
  { say, onProgress }: { say: (text: string) => void; onProgress?: (progress: Progress) => void },
): Promise<string | undefined> {
  using files = demoFiles;
  if (demo === undefined || files === undefined) {
    const state = dataDir.readDemo();
    return state?.state === 'loaded' ? state.end : undefined;
  }
  const { commit } = await readCommit(platform.table);
  if (commit > 0 && !demo.begun) {
    say('There are data in the folder already, so the demo network is not loaded.');
    dataDir.writeDemo({ state: 'declined' });
    return undefined;
  }
  dataDir.writeDemo({ state: 'begun', end: demo.end });
  say(`Loading the demo network: 90 days up to ${demo.end}…`);
  await loadDemo({
    table: platform.table,
    files,
    timeZone: timeZoneOf(platform.definition),
    onNote: say,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  dataDir.writeDemo({ state: 'loaded', end: demo.end });
  return demo.end;
}
