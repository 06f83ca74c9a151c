import { describe, expect, test } from 'vitest';
import {
  askApi,
  BY_CAMPAIGN,
  format,
  LAST_28,
  METRICS,
  openExplorer,
  PATIENT,
  shownRows,
  shownTotals,
  useBrowser,
  withExplorer,
} from './explorer-page.ts';

useBrowser();

describe('somebody with a key', () => {
  test(
    'keeps the focus in the form after removing what had it',
    withExplorer({ hash: `${BY_CAMPAIGN}&filter=clicks%3E0` }, async ({ page }) => {
      for (const [removed, focused] of [
        [/^Remove Clicks$/, 'Add or remove (Metrics)'],
        [/^Remove the filter Clicks/, 'Add a filter'],
      ] as const) {
        await page.getByRole('button', { name: removed }).focus();
        await page.keyboard.press('Enter');
        await expect.poll(() => page.evaluate('document.activeElement.textContent'), PATIENT).toBe(focused);
      }
    }),
  );

  test(
    'gets from nothing to a chart and a table with one click on a demo key',
    withExplorer({ key: null }, async (explorer) => {
      const { page } = explorer;
      await explorer.shoot('sign-in');
      await page.getByRole('button', { name: 'ecap_demo_agency' }).click();
      await explorer.settle();
      await page.locator('.drawing svg').first().waitFor();
      const metrics = ['cost', 'halo_roas', 'impressions', 'clicks', 'click_through_rate', 'halo_revenue'];
      const { data, totals } = await askApi('pla', {
        metrics,
        dimensions: ['campaign_name', 'campaign_id'],
        sort: [{ field: 'cost', order: 'DESC' }],
      });
      const [first] = await shownRows(explorer);
      const kinds = ['money', 'ratio', 'count', 'count', 'percent', 'money'] as const;
      const expected = (row: Readonly<Record<string, unknown>> | undefined) =>
        metrics.map((name, index) => format(kinds[index] ?? 'count', row?.[name]));
      expect(first).toEqual([data[0]?.campaign_name, String(data[0]?.campaign_id), ...expected(data[0])]);
      expect(await shownTotals(explorer)).toEqual(['Total', '', ...expected(totals)]);
      await explorer.shoot('first-view');
    }),
  );

  test('sees why a key is rejected; a key is in no address, cookie or local storage, and is gone after “Forget key”', async () => {
    const explorer = await openExplorer({ key: null });
    const { page } = explorer;
    await page.getByLabel('API key').fill('ecap_wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('The API key is unknown.');
    await page.getByLabel('API key').fill('ecap_demo_cpg');
    await page.getByRole('button', { name: 'Open' }).click();
    await explorer.settle();
    expect(page.url()).not.toContain('ecap_');
    expect(await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain('ecap_');
    await page.getByRole('button', { name: 'Forget key' }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await explorer.close();
  });

  /** Requests with such keys failed like those without a connection, and the page offered only to try again. */
  test(
    'sees that a text with other characters is not a key',
    withExplorer({ key: null }, async (explorer) => {
      const { page } = explorer;
      const open = async (key: string) => {
        await page.getByLabel('API key').fill(key);
        await page.getByRole('button', { name: 'Open' }).click();
      };
      for (const key of ['ecap_ключ', 'ecap_demo_agéncy', 'ecap_demo agency']) {
        await open(key);
        expect(await page.getByRole('alert').textContent()).toContain('This is not an API key');
      }
      await open('ecap_demo_cpg');
      await explorer.settle();
    }),
  );

  /** The page showed the problem and offered only to try again. */
  test.each([
    ['**/v2/metadata/fields', 'ADDRESS_FORBIDDEN', 'The API key must not be used from the address 1.2.3.4.', ''],
    [
      '**/v2/report/*',
      'SCOPE_FORBIDDEN',
      'The API key is limited to metadata.',
      ' The explorer needs a key for metadata and report.',
    ],
  ])(
    'sees that the key does not allow requests of %s (%s), and enters another one',
    async (path, code, detail, advice) => {
      const explorer = await openExplorer({ key: null });
      const { page } = explorer;
      const problem = JSON.stringify({ code, detail, errors: [], requestId: 'x' });
      await page.route(path, (route) =>
        route.fulfill({ status: 403, contentType: 'application/problem+json', body: problem }),
      );
      await page.getByLabel('API key').fill('ecap_demo_agency');
      await page.getByRole('button', { name: 'Open' }).click();
      expect(await page.getByRole('alert').textContent()).toBe(`${detail}${advice}`);
      await page.unroute(path);
      await page.getByLabel('API key').fill('ecap_demo_cpg');
      await page.getByRole('button', { name: 'Open' }).click();
      await explorer.settle();
      await explorer.close();
    },
  );

  test('can enter another key if the first requests fail', async () => {
    const explorer = await openExplorer({ key: null });
    const { page } = explorer;
    await page.route('**/v2/metadata/fields', (route) => route.fulfill({ status: 500, body: '' }));
    await page.getByRole('button', { name: 'ecap_demo_agency' }).click();
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.unroute('**/v2/metadata/fields');
    await page.getByRole('button', { name: 'ecap_demo_cpg' }).click();
    await explorer.settle();
    expect(await page.getByRole('alert').count()).toBe(0);
    await explorer.close();
  });

  /** Video metrics and the other experiences were offered to networks without any. */
  test(
    'is offered what has data, and the rest behind “Show all”',
    withExplorer({ key: null }, async (explorer) => {
      const { page } = explorer;
      await page.route('**/metadata/fields', async (route) => {
        const response = await route.fetch();
        const { data, meta } = await response.json();
        const pla = ['halo_roas', 'halo_revenue', 'share_of_voice', 'placement'];
        await route.fulfill({ response, json: { data, meta: { ...meta, fieldsWithoutData: { pla } } } });
      });
      await page.getByRole('button', { name: 'ecap_demo_agency' }).click();
      await explorer.settle();
      expect(
        await page.locator('[data-total]').evaluateAll((tiles) => tiles.map((tile) => tile.dataset.total)),
      ).toEqual([...['cost', 'impressions', 'clicks', 'click_through_rate']]);
      const experiences = page.getByRole('group', { name: 'Experience' });
      expect(await experiences.getByRole('radio').count()).toBe(2); // PLA and all
      await experiences.getByRole('button', { name: 'Show all' }).click();
      expect(await experiences.getByRole('radio').count()).toBe(4);
      await page.getByRole('button', { name: 'All questions' }).click();
      const questions = page.locator('.questions [popover]');
      expect(await questions.getByRole('button', { name: 'Share of voice' }).count()).toBe(0);
      await questions.getByRole('button', { name: 'Show all' }).click();
      expect(await questions.getByRole('button', { name: 'Share of voice' }).count()).toBe(1);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Add a filter' }).click();
      const option = page.getByLabel('Field').locator('option[value=placement]');
      expect(await option.count()).toBe(0);
      await page.getByRole('dialog').getByRole('button', { name: 'Show all' }).click();
      expect(await option.count()).toBe(1);
      await explorer.shoot('offered');
    }),
  );

  test(
    'tells namesakes apart with the button of the warning about them',
    withExplorer({ hash: BY_CAMPAIGN.replace('campaign_name', 'ad_group_name') }, async (explorer) => {
      const { page } = explorer;
      const add = page.getByRole('button', { name: 'Add Ad group id' });
      await add.click();
      await explorer.settle();
      expect(page.url()).toContain('by=ad_group_name,ad_group_id');
      expect(await add.count()).toBe(0);
      const names = (await shownRows(explorer)).map(([name]) => name);
      expect(new Set(names).size).toBeLessThan(names.length);
      const [twin] = (await shownRows(explorer)).filter(([name]) => names.indexOf(name) !== names.lastIndexOf(name));
      await page.locator('.drawing').getByText(`(${twin?.[1]})`).first().waitFor();
      await explorer.shoot('namesakes');
    }),
  );

  test(
    'narrows a report to an advertiser that is found among those of all accounts',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByText('All advertisers', { exact: true }).click();
      const search = page.getByRole('searchbox', { name: 'Search advertisers' });
      await search.fill('MORNV');
      const option = page.locator('.options .check');
      const name = (await option.textContent()) ?? '';
      await option.click();
      await explorer.settle();
      expect(await page.locator('header .owners').textContent()).toContain(`advertisers ${name}`);
      const { data, totals } = await askApi('pla', { metrics: ['cost'], dimensions: ['advertiser_name'] });
      const cost = data.find((row) => row.advertiser_name === name)?.cost;
      expect(cost).not.toBe(totals.cost);
      expect(await page.locator('[data-total=cost]').textContent()).toBe(format('money', cost));
      await page.reload();
      await explorer.settle();
      await page.locator('.options summary').getByText(name, { exact: true }).waitFor();
      await explorer.shoot('advertisers-of-all-accounts');
    }),
  );

  test(
    'narrows a report to an advertiser of an account',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByLabel('Account').selectOption({ index: 1 });
      await page.getByText(/^All \d+ advertisers$/).click();
      const option = page.locator('.options li label').first();
      const name = await option.textContent();
      await option.click();
      await explorer.settle();
      const { data } = await askApi('pla', {
        metrics: METRICS,
        dimensions: ['advertiser_name', 'campaign_name'],
        sort: [{ field: 'cost', order: 'DESC' }],
      });
      const own = data
        .filter((row) => row.advertiser_name === name)
        .map((row) => [row.campaign_name, format('money', row.cost)]);
      expect((await shownRows(explorer)).map((row) => row.slice(0, 2))).toEqual(own);
      expect(own.length).toBeGreaterThan(0);
    }),
  );

  test(
    'changes the period by preset and by dates',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      const cost = () => page.locator('[data-total=cost]').textContent();
      await page.getByLabel(/^Days/).selectOption('Last month');
      await explorer.settle();
      const february = await askApi('pla', { startDate: '2026-02-01', endDate: '2026-02-28', metrics: ['cost'] });
      expect(await cost()).toBe(format('money', february.totals.cost));
      await page.getByLabel(/^Days/).selectOption('Custom…');
      expect(
        await page.evaluate(
          "(() => { const form = document.querySelector('.question-form'); return form.scrollWidth - form.clientWidth; })()",
        ),
      ).toBe(0);
      await page.getByLabel('To', { exact: true }).fill('2026-02-14');
      await page.getByLabel('From').fill('2026-02-08');
      await explorer.settle();
      const week = await askApi('pla', { startDate: '2026-02-08', endDate: '2026-02-14', metrics: ['cost'] });
      expect(await cost()).toBe(format('money', week.totals.cost));
      expect(page.url()).toContain('start=2026-02-08&end=2026-02-14');
      await page.getByLabel('Compare with').selectOption('Custom…');
      await page.getByLabel('From').last().fill('2026-01-11');
      await explorer.settle();
      expect(page.url()).toContain('compare=2026-01-11..2026-02-07');
      expect(await page.locator('.facts').textContent()).toContain('against Jan 11 – Feb 7, 2026');
    }),
  );

  test(
    'finds a metric by its meaning, and sees in which experience it has no meaning',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Add or remove (Metrics)' }).click();
      const dialog = page.getByRole('dialog', { name: 'Metrics' });
      const height = (await dialog.boundingBox())?.height;
      await page.keyboard.type('video'); // the search has the focus
      expect((await dialog.boundingBox())?.height).toBe(height);
      expect(await dialog.locator('summary').textContent()).toBe('Show 13 without meaning or data in PLA');
      expect(await dialog.getByRole('checkbox', { name: 'Video starts' }).isDisabled()).toBe(true);
      expect(await dialog.locator('.option.unavailable').first().textContent()).toContain('no meaning in PLA');
      await explorer.shoot('metrics-unavailable');
      await dialog.getByRole('searchbox').fill('shown an impression');
      await dialog.getByRole('checkbox', { name: 'Unique users reached' }).check();
      await page.keyboard.press('Escape');
      await explorer.settle();
      const { totals } = await askApi('pla', { metrics: ['unique_user_impressions'], dimensions: ['campaign_name'] });
      expect((await shownTotals(explorer)).at(-1)).toBe(format('count', totals.unique_user_impressions));
      await page.getByText('Carousel', { exact: true }).click();
      await page.getByRole('button', { name: 'Add or remove (Metrics)' }).click();
      expect(await dialog.getByRole('checkbox', { name: 'Video starts' }).isDisabled()).toBe(false);
    }),
  );

  test(
    'uses an unavailable dimension by removing the metrics that have no meaning with it',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Add or remove (Break down by)' }).click();
      const dialog = page.getByRole('dialog', { name: 'Break down by' });
      await dialog.getByRole('searchbox', { name: 'Search dimensions' }).fill('purchased product');
      expect(await dialog.getByRole('checkbox', { name: 'Purchased product', exact: true }).isDisabled()).toBe(true);
      await dialog
        .getByRole('button', { name: /^Use Purchased product and remove Cost, Clicks, Return on ad spend/ })
        .click();
      await page.keyboard.press('Escape');
      await explorer.settle();
      expect(await page.locator('.chip').allInnerTexts()).not.toContain('Cost');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
        'All values of Campaign and Purchased product',
      );
    }),
  );

  test(
    'filters by values that are suggested from the data',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Add a filter' }).click();
      await page.getByLabel('Field').selectOption('keyword');
      await page.getByPlaceholder(/Search or type a value/).fill('chip');
      await page.getByRole('checkbox', { name: 'potato chips', exact: true }).check();
      await page.getByRole('checkbox', { name: 'tortilla chips', exact: true }).check();
      await explorer.shoot('filter');
      await page.getByRole('button', { name: 'Apply' }).click();
      await explorer.settle();
      const filters = [{ field: 'keyword', operator: 'EQUALS', values: ['potato chips', 'tortilla chips'] }];
      const { totals, totalCount } = await askApi('pla', {
        metrics: METRICS,
        dimensions: ['campaign_name'],
        filters,
      });
      expect(await shownTotals(explorer)).toEqual([
        'Total',
        format('money', totals.cost),
        format('count', totals.clicks),
        format('ratio', totals.halo_roas),
      ]);
      expect((await shownRows(explorer)).length).toBe(totalCount);
      await page.getByRole('button', { name: /^Remove the filter Keyword/ }).click();
      await explorer.settle();
      expect((await shownRows(explorer)).length).toBeGreaterThan(totalCount);
    }),
  );

  /** Suggestions are a report, which is charged. */
  test(
    'requests no suggestions for a condition that has no values',
    withExplorer({ hash: `${BY_CAMPAIGN}&filter=keyword!=null` }, async ({ page }) => {
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url()));
      await page.getByRole('button', { name: 'Keyword has a value', exact: true }).click();
      await page.waitForTimeout(1_000); // in which the suggestions would be requested
      expect(sent).toEqual([]);
      await page.getByLabel('Condition').selectOption('IN');
      await page.getByRole('checkbox', { name: 'potato chips', exact: true }).waitFor();
      expect(sent).toHaveLength(1);
    }),
  );

  test(
    'filters rows by a figure',
    withExplorer({ hash: BY_CAMPAIGN }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Add a filter' }).click();
      await page.getByLabel('Field').selectOption('cost');
      expect(await page.getByLabel('Condition').locator('option:checked').textContent()).toBe('>');
      await page.getByRole('textbox', { name: 'Value' }).fill('500');
      await page.getByRole('textbox', { name: 'Value' }).press('Enter');
      await explorer.settle();
      const filters = [{ field: 'cost', operator: 'GREATER_THAN', values: ['500'] }];
      const { data } = await askApi('pla', {
        ...LAST_28,
        metrics: METRICS,
        dimensions: ['campaign_name'],
        filters,
        sort: [{ field: 'cost', order: 'DESC' }],
      });
      expect((await shownRows(explorer)).map(([name]) => name)).toEqual(data.map((row) => row.campaign_name));
      expect(data.length).toBeGreaterThan(2);
    }),
  );

  test(
    'filters a rate by what the table shows, and reads what is wrong while typing',
    withExplorer({ hash: BY_CAMPAIGN.replace('cost', 'click_through_rate') }, async (explorer) => {
      const { page } = explorer;
      await page.getByRole('button', { name: 'Add a filter' }).click();
      await page.getByLabel('Field').selectOption('click_through_rate');
      const value = page.getByRole('textbox', { name: 'Value' });
      const apply = page.getByRole('button', { name: 'Apply' });
      await value.fill('one');
      await page.getByText('Must be a number, such as 1.5%.').waitFor();
      expect(await apply.isDisabled()).toBe(true);
      await value.fill('1%');
      expect(await page.locator('#unit-Value').textContent()).toBe('%');
      await explorer.shoot('filter-of-a-rate');
      await apply.click();
      await explorer.settle();
      expect(decodeURIComponent(page.url())).toContain('filter=click_through_rate>0.01');
      await page.getByRole('button', { name: 'Click-through rate > 1%', exact: true }).click();
      expect(await value.inputValue()).toBe('1');
    }),
  );

  test(
    'sees the service’s own words when it rejects a question',
    withExplorer({}, async ({ page }) => {
      await page.evaluate(`location.hash = '${BY_CAMPAIGN}&filter=cost>a lot'`);
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent()).toContain('Must be a decimal number, such as "0.25"');
    }),
  );
});
