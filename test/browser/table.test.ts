import { describe, expect, test } from 'vitest';
import { STARTING_QUESTIONS } from '../../shared/web/explorer/question/starting-questions.ts';
import { BY_CAMPAIGN, openQuestion, PATIENT, scrollRows, useBrowser, withExplorer } from './explorer-page.ts';

/** What the PLA experience of the demo has data for. */
const QUESTIONS = STARTING_QUESTIONS.map(({ title }) => title).filter((title) => title !== 'Viewability');
/** Its ten columns need more than a laptop's width. */
const WIDE = 'Pacing';

useBrowser();

describe('the table', () => {
  test.each([
    [1280, 'all columns of'],
    [390, 'name and first figure of'],
  ])('at %i pixels shows %s each ready-made question', (width) =>
    withExplorer({ viewport: { width, height: 844 } }, async (explorer) => {
      const { page } = explorer;
      for (const title of QUESTIONS) {
        await openQuestion(explorer, title);
        const scroller = page.locator('.scroller');
        const { left, right } = await scroller.evaluate((element) => element.getBoundingClientRect());
        expect({ left: left >= 0, right: right <= width }, title).toEqual({ left: true, right: true });
        const figure = page.locator('tbody td.number').first();
        await expect
          .poll(() => figure.evaluate((element) => element.getBoundingClientRect().right), {
            ...PATIENT,
            message: title,
          })
          .toBeLessThanOrEqual(right);
        if (width < 1280 || title === WIDE) continue;
        expect(await scroller.evaluate((element) => element.scrollWidth - element.clientWidth), title).toBe(0);
      }
    })(),
  );

  test(
    'stands above the chart on a phone',
    withExplorer({ hash: BY_CAMPAIGN, viewport: { width: 390, height: 844 } }, async ({ page }) => {
      const chart = page.locator('.card.chart');
      await chart.waitFor();
      const [table, bars] = [await page.locator('.card.table').boundingBox(), await chart.boundingBox()];
      expect(table?.y).toBeLessThan(bars?.y ?? 0);
    }),
  );

  test(
    'begins at the top after it was sorted and with another question',
    withExplorer(
      { hash: '#/report?v=1&by=keyword&metrics=cost,clicks&start=latest-27d&end=latest' },
      async (explorer) => {
        const { page, settle } = explorer;
        const top = () => page.evaluate("document.querySelector('.scroller').scrollTop");
        for (const next of [
          () => page.getByRole('button', { name: /^Clicks/ }).click(),
          () => openQuestion(explorer, 'Trend by day'),
        ]) {
          await scrollRows(explorer, '300');
          await expect.poll(top, PATIENT).toBe(300);
          await next();
          await settle();
          await expect.poll(top, PATIENT).toBe(0);
        }
      },
    ),
  );
});
