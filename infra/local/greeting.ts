import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import type { DemoKey } from './create-demo-keys.ts';
import { DEFAULT_DATA_DIR } from './data-dir.ts';
import { DEMO_EXAMPLES, DEMO_KEYS, DEMO_VIEWS } from './demo/demo-keys.ts';

/**
 * @returns what `npm start` prints when the local stage is ready: its addresses, and three requests to paste into a shell
 * @param options.base includes the stage, e.g. `http://localhost:3000/v2`
 * @param options.end the last day of the requested report
 * @param options.demoKeys the demo keys that work; without any, the text explains how to load data and create a key instead of the requests
 */
export function greeting(options: {
  base: string;
  /** Relative to the working directory. */
  dataDir: string;
  end: string;
  demoKeys: readonly DemoKey[];
}): string {
  const { base, dataDir, end, demoKeys } = options;
  const [key] = demoKeys;
  const folder = dataDir || '.';
  const addresses = [
    `Endcap is at   ${base}`,
    `Explorer       ${base}/explorer`,
    `Documentation  ${base}/docs`,
    `Data           ${folder}`,
  ];
  const usage = key === undefined ? explainOwnData(folder) : [...curls(base, key, end), '', ...describeKeys(demoKeys)];
  return ['', ...addresses, '', ...usage, '', 'Stop with Ctrl-C.', ''].join('\n');
}

/** @returns how to load own data; the commands find the stage, and its port, by its data folder */
function explainOwnData(folder: string): string[] {
  const variable = folder === DEFAULT_DATA_DIR ? '' : `DATA_DIR=${quoteForShell(folder)} `;
  return [
    `Load a folder with your data:        ${variable}npm run load -- FOLDER`,
    `Create a key for one of your users:  ${variable}npm run key -- create --user ID`,
  ];
}

/** @returns the text as one word of a POSIX shell */
export function quoteForShell(text: string): string {
  return /^[\w./@:+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function curls(base: string, key: DemoKey, end: string): string[] {
  const authorized = `curl -H 'Ocp-Apim-Subscription-Key: ${key}'`;
  const report = {
    ...lastWeek(end),
    advertiserIds: [],
    metrics: ['impressions', 'clicks', 'click_through_rate', 'cost', 'halo_roas'],
    dimensions: ['campaign_name'],
    filters: [],
    sort: [{ field: 'cost', order: 'DESC' }],
    pagination: { offset: 0, size: 5 },
  };
  return [
    'Try it:',
    `${authorized} '${base}/metadata/accounts'`,
    `${authorized} '${base}/metadata/advertisers?account_id=${DEMO_EXAMPLES.accountId}'`,
    `${authorized} -H 'Content-Type: application/json' -d '${JSON.stringify(report)}' '${base}/report/pla'`,
  ];
}

function describeKeys(keys: readonly DemoKey[]): string[] {
  const list = keys.map((key) => `${key} (${DEMO_VIEWS[key]}, user ${DEMO_KEYS[key]})`);
  return [`Demo keys: ${list.join(', ')}`];
}

/** @returns the seven days that end with `end`, `YYYY-MM-DD`, as members of a report request */
function lastWeek(end: string): { readonly startDate: string; readonly endDate: string } {
  return { startDate: formatDay(dayNumber(end) - 6), endDate: end };
}
