import { afterAll, expect, test, vi } from 'vitest';

const measured: string[] = [];
/** Every character is 7 pixels wide. */
const measureText = (text: string) => {
  measured.push(text);
  return { width: text.length * 7 };
};
vi.stubGlobal('document', { createElement: () => ({ getContext: () => ({ measureText }) }) });
vi.stubGlobal('getComputedStyle', () => ({ fontFamily: 'sans-serif' }));
const { cutText } = await import('../../../shared/web/explorer/ui/measure-text.ts');

afterAll(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['short', 35, 'short'],
  ['longer', 35, 'lo…er'],
  ['two words', 42, 'two…ds'],
  ['narrow', 7, 'n…'],
  ['n', 1, 'n…'],
  ['2026_Q1_SPONSORED_EU', 84, '2026_Q…ED_EU'],
])('the text %j is cut to %i pixels as %j', (text, width, expected) => {
  expect(cutText(text, width)).toBe(expected);
});

/** 8,000,000 characters were measured, about half the square of the length. */
test('cutting a long text measures fewer than three times its characters', () => {
  measured.length = 0;
  expect(cutText('x'.repeat(4_000), 150)).toBe(`${'x'.repeat(10)}…${'x'.repeat(10)}`);
  expect(measured.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(3 * 4_000);
});
