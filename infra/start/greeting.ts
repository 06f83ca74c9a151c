import { DEMO_EXAMPLES, DEMO_KEYS } from '../../shared/demo/keys.ts';
import type { DemoKey } from './demo-keys.ts';
import { lastWeek } from './last-week.ts';

/**
 * What `npm start` prints when the stage is ready: where it is, and three requests that work when they are pasted into a shell.
 * @param options.base with the stage, e.g. `http://localhost:3000/v2`
 * @param options.end the last day of the report that is asked for
 * @param options.demoKeys the demo's keys that work, whose ids the requests use; without any, how to make a key stands there instead
 */
export function greeting(options: {
  base: string;
  dataDir: string;
  end: string;
  demoKeys: readonly DemoKey[];
}): string {
  const { base, dataDir, end, demoKeys } = options;
  const [key] = demoKeys;
  const where = [`Endcap is at   ${base}`, `Documentation  ${base}/docs`, `Data           ${dataDir || '.'}`];
  const how = key === undefined ? HOW_WITHOUT_DEMO : [...curls(base, key, end), '', ...describeKeys(demoKeys)];
  return ['', ...where, '', ...how, '', 'Stop with Ctrl-C.', ''].join('\n');
}

const HOW_WITHOUT_DEMO = ['Make a key for one of your users:  npm run key -- create --user ID'];

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
  const list = keys.map((key) => `${key} (user ${DEMO_KEYS[key]})`);
  return [`Demo keys: ${list.join(', ')}`];
}
