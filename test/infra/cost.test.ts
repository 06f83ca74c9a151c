import { expect, test } from 'vitest';
import { readSource } from '../rules/source-files.ts';

const PAGE = readSource('infra/README.md');
const rowsOf = (head: string) =>
  (PAGE.split(head)[1]?.split('\n\n')[0] ?? '')
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.replaceAll('*', '').trim())
        .slice(1, -1),
    )
    .filter(([name = '']) => name !== '' && !name.startsWith('---'));
const sum = (values: readonly number[]) => Number(values.reduce((total, value) => total + value, 0).toFixed(2));

test('the prices of a million requests in infra/README.md are the sums of their parts', () => {
  const rows = rowsOf('| One million …').slice(1);
  expect(rows.length).toBeGreaterThan(4);
  for (const [name, ...cells] of rows) {
    const [total, ...parts] = cells.map(Number).reverse();
    expect(Math.abs((total ?? 0) - sum(parts)), name).toBeLessThan(0.011); // each part is rounded
  }
});

test('the month in infra/README.md, idle and as an example, is the sum of its rows, at the prices of the page', () => {
  const rows = rowsOf('| Per month |').slice(1);
  const total = rows.find(([name]) => name === 'Sum');
  const counted = rows.filter(([, , , example = '']) => example.includes('×'));
  for (const [name, price, , example = ''] of counted) {
    const [count = 0, factor = 0] = example.split(/ [×=] /).map(Number);
    expect([name, example]).toEqual([name, `${count} × ${price} = ${(count * factor).toFixed(2)}`]);
  }
  const idle = counted.map(([, , cell]) => Number(cell));
  const example = counted.map(([, , , cell = '']) => Number(cell.split(' = ')[1]));
  expect(total).toEqual(['Sum', '', sum(idle).toFixed(2), sum(example).toFixed(2)]);
  for (const name of ['listings', 'reports from rollups', 'reports from facts']) {
    const million = rowsOf('| One million …').find(([first = '']) => first.startsWith(name));
    expect([name, counted.find(([first = '']) => first === `a million ${name}`)?.[1]]).toEqual([name, million?.at(-1)]);
  }
});
