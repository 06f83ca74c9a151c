import { expect, test } from 'vitest';
import { askApi, BY_CAMPAIGN, format, METRICS, shownTotals, useBrowser, withExplorer } from './explorer-page.ts';

useBrowser();

/** The day after these dates is in a year that is not accepted. */
const TOO_LATE = '#/report?v=1&experience=pla&metrics=cost&start=9999-12-01&end=9999-12-31&compare=previousYear';

/** The figures of all accounts appeared under a link that named one, and of all campaigns under a link whose filter was cut. */
test(
  'a link with unknown parts lists them, and sends no report before “Show without them”',
  withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
    const { page } = explorer;
    const link = `${BY_CAMPAIGN.replace('experience=pla', 'experience=video')},gone&account=1&filter=cost>`;
    let sent = 0;
    await page.route('**/report/**', (route) => {
      sent++;
      return route.continue();
    });
    const notice = page.getByRole('alert');
    await page.evaluate(`location.hash = '${link}'`);
    await notice.waitFor();
    expect(await notice.getByRole('listitem').allTextContents()).toEqual([
      'Experience “video”',
      'Account “1”',
      'Dimension “gone”',
      'Filter “cost>”',
    ]);
    await page.waitForTimeout(1_000); // in which a report would be sent
    expect(sent).toBe(0);
    expect(await page.locator('.result-body').count()).toBe(0);
    expect(await page.locator('.owners').textContent()).toBe('demo-agency: all 3 accounts');
    await explorer.shoot('unknown-parts');
    await page.getByRole('button', { name: 'Show without them' }).click();
    await explorer.settle();
    expect(await notice.count()).toBe(0);
    const { totals } = await askApi('pla', { metrics: METRICS, dimensions: ['campaign_name'] });
    expect(await shownTotals(explorer)).toContain(format('money', totals.cost));
    await page.goBack();
    await notice.waitFor();
    await page.getByRole('radio', { name: 'TOA' }).check();
    await explorer.settle();
    await page.unrouteAll({ behavior: 'wait' });
  }),
);

test(
  'a saved question with an unknown part says so, too, also in a new tab',
  withExplorer({ hash: BY_CAMPAIGN }, async ({ page }) => {
    const saved = JSON.stringify([{ name: 'Old', query: 'experience=pla&metrics=cost,gone&by=campaign_name' }]);
    await page.evaluate(`localStorage.setItem('endcap.saved-questions', '${saved}')`);
    await page.reload();
    await page.getByRole('button', { name: 'All questions' }).click();
    await page.getByRole('button', { name: 'Old', exact: true }).click();
    await page.getByRole('alert').getByText('Metric “gone”').waitFor();
    await page.reload();
    await page.getByRole('alert').getByText('Metric “gone”').waitFor();
  }),
);

test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)('the header says whose data it is, %i pixels wide, %s', (width, colorScheme) =>
  withExplorer({ colorScheme, viewport: { width, height: 844 } }, async (explorer) => {
    const { page } = explorer;
    const owners = page.locator('.owners');
    await page.evaluate(`location.hash = '${BY_CAMPAIGN}&account=1001&advertisers=2001,2002'`);
    await explorer.settle();
    await owners.getByText('Finchwater Media – Center Store: Crinklefen Foods and ').waitFor();
    expect(await owners.isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await explorer.shoot(`owners-${width}-${colorScheme}`);
    await page.evaluate(`location.hash = '${BY_CAMPAIGN}&account=1&advertisers=2001'`);
    await page.getByRole('alert').waitFor();
    await explorer.shoot(`link-notice-${width}-${colorScheme}`);
    expect(await explorer.violations()).toEqual([]);
    await page.getByRole('link', { name: 'Data' }).click();
    await owners.getByText('all 3 accounts').waitFor();
  })(),
);

test(
  '“All” shows the experiences together, with the figures of the API, the warning of a metric that one lacks, and a link',
  withExplorer({ hash: BY_CAMPAIGN.replace('halo_roas', 'win_rate') }, async (explorer) => {
    const { page } = explorer;
    await page.getByRole('radio', { name: 'All' }).check();
    await explorer.settle();
    expect(page.url()).toContain('experience=all');
    const { totals } = await askApi('all', { metrics: ['cost', 'win_rate'] });
    const shown = await shownTotals(explorer);
    expect(shown).toContain(format('money', totals.cost));
    expect(shown).toContain(format('percent', totals.win_rate));
    expect(await page.getByText('Win rate is undefined in toa: it covers only pla and carousel.').count()).toBe(1);
    await explorer.shoot('all-experiences');
    await page.setViewportSize({ width: 390, height: 844 });
    await explorer.shoot('all-experiences-phone');
    expect(await explorer.violations()).toEqual([]);
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
