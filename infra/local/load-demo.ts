import { mkdirSync, rmSync } from 'node:fs';
import { createKey, MAX_DAYS } from '../../shared/identity/api-keys.ts';
import { type LoadOptions, loadFolder } from '../../shared/load/load-folder.ts';
import { DEMO_KEYS } from './demo/demo-keys.ts';
import { type DemoDays, generateDemo } from './demo/generate-demo.ts';
import { localUser } from './local-user.ts';

/** Far above what one machine can serve, so that experiments are not limited. */
const KEY_LIMITS = { requestsPerMinute: 10_000_000, concurrentReports: 10_000, dailyReadUnits: 1_000_000_000_000 };

/** The load files of the demo network; disposing them deletes the folder. */
interface DemoFiles extends Disposable {
  readonly folder: string;
}

/**
 * @param folder is emptied first, because an interrupted process may have left files there
 * @param end the last day with facts, `YYYY-MM-DD`
 * @param days those whose facts are written; default: all
 */
export async function writeDemoFiles(folder: string, end: string, days?: DemoDays): Promise<DemoFiles> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await generateDemo(folder, end, days);
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export type LoadSettings = Pick<LoadOptions, 'timeZone' | 'currency' | 'productIds' | 'attribution'>;

interface DemoOptions extends LoadSettings, Pick<LoadOptions, 'table' | 'userIdKey' | 'onProgress' | 'onNote'> {
  readonly files: DemoFiles;
}

/**
 * Loads the demo network and creates its keys, which are public: for local tables only. Repeating it completes an interrupted load, and
 * otherwise only renews the keys.
 */
export async function loadDemo(options: DemoOptions): Promise<void> {
  const { files, ...load } = options;
  const { outcome, problems } = await loadFolder({ ...load, actor: localUser(), folder: files.folder });
  if (outcome === 'rejected') throw new Error(`the demo network has problems: ${JSON.stringify(problems[0])}`);
  for (const [key, userId] of Object.entries(DEMO_KEYS)) {
    await createKey(options.table, userId, { key, days: MAX_DAYS, ...KEY_LIMITS });
  }
}
