import { join } from 'node:path';
import type { Progress } from '../../shared/load/check/load-report.ts';
import type { LoadOptions } from '../../shared/load/load-folder.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import type { Table } from '../../shared/store/table/table.ts';
import type { DataDir } from './data-dir.ts';
import { DEMO_DAYS } from './demo/data/network.ts';
import { DEMO_USER_ID_KEY } from './demo/demo-keys.ts';
import type { DemoDays } from './demo/generate-demo.ts';
import type { LoadSettings } from './load-demo.ts';
import { userIdKeyIn } from './user-id-key-file.ts';

interface PlannedDemo {
  /** The last day, `YYYY-MM-DD`. */
  readonly end: string;
  /** Whether an earlier start was interrupted while loading it. */
  readonly begun: boolean;
}

/** A demo network whose newest days are in the table. */
export interface LoadedDemo {
  /** The last day, `YYYY-MM-DD`. */
  readonly end: string;
  /** Loads the older days; absent if they are loaded. */
  readonly loadOlder?: () => Promise<void>;
}

/** The first start waits for so many days of facts; the older ones are loaded while the stage runs, and reports list them as missing until then. */
const NEWEST_DAYS = 14;

/** @returns undefined if the demo was loaded or declined before; an interrupted load is repeated with its own last day, whatever `end` is */
export function planDemo(dataDir: Pick<DataDir, 'readDemo'>, end: string): PlannedDemo | undefined {
  const state = dataDir.readDemo();
  if (state?.state === 'begun') return { end: state.end, begun: true };
  return state === undefined ? { end, begun: false } : undefined;
}

/** Declines the demo permanently, even if its load was interrupted, because repeating it would replace data loaded since. A loaded demo stays. */
export function declineDemo(
  dataDir: Pick<DataDir, 'path' | 'readDemo' | 'writeDemo'>,
  say: (text: string) => void,
): undefined {
  if (dataDir.readDemo()?.state !== 'loaded') dataDir.writeDemo({ state: 'declined' });
  else say(`The data folder already holds the demo network. ${explainOtherDataDir('npm start')}`);
}

/** @returns advice to use another data folder for own data */
export function explainOtherDataDir(command: string): string {
  return `To use your own data without it, choose another data folder: DATA_DIR=mine ${command}`;
}

/**
 * Loads the newest days of the planned demo. If a load of it was not begun yet and the table already holds data, it records that the demo is declined instead. The
 * state `loaded` is written after the older days, so that the next start repeats an interrupted load.
 * @returns undefined if there is no demo in the table
 */
export async function loadPlannedDemo(
  dataDir: DataDir,
  { table, ...settings }: LoadSettings & { readonly table: Table },
  demo: PlannedDemo | undefined,
  { say, onProgress }: { say: (text: string) => void; onProgress?: (progress: Progress) => void },
): Promise<LoadedDemo | undefined> {
  if (demo === undefined) {
    const state = dataDir.readDemo();
    return state?.state === 'loaded' ? { end: state.end } : undefined;
  }
  const { commit } = await readCommit(table);
  if (commit > 0 && !demo.begun) {
    say('The data folder holds your data, so the demo network is not loaded.');
    dataDir.writeDemo({ state: 'declined' });
    return undefined;
  }
  const { loadDemo, writeDemoFiles } = await import('./load-demo.ts'); // only here, because most starts need no loader
  const { end } = demo;
  const userIdKey = userIdKeyIn(dataDir.path, DEMO_USER_ID_KEY);
  const load = async (days: DemoDays, progress: Pick<LoadOptions, 'onProgress'>) => {
    using files = await writeDemoFiles(join(dataDir.path, 'demo-files'), end, days);
    await loadDemo({ table, files, ...settings, userIdKey, onNote: say, ...progress });
  };
  say(`Generating and loading the demo network, the newest ${NEWEST_DAYS} of the 90 days up to ${end}…`);
  dataDir.writeDemo({ state: 'begun', end });
  await load([1 - NEWEST_DAYS, 0], onProgress === undefined ? {} : { onProgress });
  const loadOlder = async () => {
    await load([1 - DEMO_DAYS, -NEWEST_DAYS], {});
    dataDir.writeDemo({ state: 'loaded', end });
  };
  return { end, loadOlder };
}
