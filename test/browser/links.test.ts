import { expect, test } from 'vitest';
import { askApi, BY_CAMPAIGN, format, METRICS, shownTotals, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

const UNKNOWN = BY_CAMPAIGN.replace('experience=pla', 'experience=video');
/** The day after these dates is in a year that is not accepted. */
const TOO_LATE = '#/report?experience=pla&metrics=cost&period=9999-12-01..9999-12-31&compare=year';

/** The page showed the error of the service, for every link from then on and after “Try again”. */
test(
  'a link with an unknown experience shows the report of the default one, and says so',
  withExplorer({ hash: UNKNOWN }, async (explorer) => {
    const { page } = explorer;
    const notice = page.getByText('The link names an experience that does not exist. This is PLA instead.');
    await notice.waitFor();
    const { totals } = await askApi('pla', { metrics: METRICS, dimensions: ['campaign_name'] });
    expect(await shownTotals(explorer)).toContain(format('money', totals.cost));
    await explorer.shoot('unknown-experience');
    await page.getByRole('radio', { name: 'TOA' }).check({ force: true });
    await notice.waitFor({ state: 'detached' });
    await page.goBack();
    await notice.waitFor();
  }),
);

test(
  'a link that cannot be shown is an error until the link changes',
  withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
    const { page } = explorer;
    const alert = page.getByRole('alert');
    await page.evaluate(`location.hash = '${TOO_LATE}'`);
    await alert.waitFor();
    await explorer.shoot('link-error');
    await page.goBack();
    await explorer.settle();
    expect(await alert.count()).toBe(0);
    await page.goForward();
    await alert.waitFor();
    await page.evaluate(`location.hash = '${BY_CAMPAIGN}'`);
    await explorer.settle();
  }),
);

test(
  'a catalogue that cannot be read is read again when the link changes, and by “Try again”',
  withExplorer({ hash: '#/data' }, async ({ page }) => {
    const alert = page.getByRole('alert');
    const fail = () => page.route('**/metadata/fields', (route) => route.abort());
    for (const recover of [
      () => page.evaluate(`location.hash = '${BY_CAMPAIGN}'`),
      () => page.getByRole('button', { name: 'Try again' }).click(),
    ]) {
      await page.locator('.calendar, .result-body').first().waitFor();
      await fail();
      await page.reload();
      await alert.waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await recover();
      await page.locator('.result-body[aria-busy=false]').waitFor();
    }
  }),
);
