import { dayNumber, formatDay } from '../../shared/calendar.ts';
import { DEMO_EXAMPLES, DEMO_KEYS } from '../../shared/demo/keys.ts';

/**
 * What `npm start` prints when the stage is ready: where it is, and three requests that work when they are pasted into a shell.
 * @param options.base with the stage, e.g. `http://localhost:3000/v2`
 * @param options.demoEnd the demo's last day; undefined without the demo, whose keys and ids the requests use
 */
export function greeting(options: { base: string; dataDir: string; demoEnd: string | undefined }): string {
  const { base, dataDir, demoEnd } = options;
  const where = [`Endcap is at   ${base}`, `Documentation  ${base}/docs`, `Data           ${dataDir || '.'}`];
  const how = demoEnd === undefined ? HOW_WITHOUT_DEMO : [...curls(base, demoEnd), '', ...keys()];
  return ['', ...where, '', ...how, '', 'Stop with Ctrl-C.', ''].join('\n');
}

const HOW_WITHOUT_DEMO = ['Make a key for one of your users:  npm run key -- create --user ID'];

function curls(base: string, demoEnd: string): string[] {
  const [key] = Object.keys(DEMO_KEYS);
  const authorized = `curl -H 'Ocp-Apim-Subscription-Key: ${key}'`;
  const report = {
    startDate: formatDay(dayNumber(demoEnd) - 6),
    endDate: demoEnd,
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

function keys(): string[] {
  const list = Object.entries(DEMO_KEYS).map(([key, user]) => `${key} (user ${user})`);
  return [`Demo keys: ${list.join(', ')}`];
}
