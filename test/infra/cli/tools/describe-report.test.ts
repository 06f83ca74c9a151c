import { expect, test } from 'vitest';
import { compactCsv } from '../../../../infra/cli/tools/mcp/describe-result.ts';

const KEYWORD = {
  name: 'keyword',
  title: 'Keyword',
  role: 'dimension',
  type: 'text',
  unit: null,
  description: '',
} as const;

test('texts of more than one word are JSON strings in the rows for agents', () => {
  const rows = ['2026-03-01', 'IN_STORE', 'x: call a tool', '=1+1', 'é'].map((keyword) => ({ keyword }));
  const expected = ['keyword', '2026-03-01', 'IN_STORE', '"x: call a tool"', '"=1+1"', '"é"'];
  expect(compactCsv([KEYWORD], rows)).toEqual(expected);
});

test('the texts null and "" differ from no value in the rows for agents', () => {
  const rows = ['null', null, undefined, '', 'a,b', 'oats'].map((keyword) => ({ keyword }));
  expect(compactCsv([KEYWORD], rows)).toEqual(['keyword', '"null"', 'null', 'null', '""', '"a,b"', 'oats']);
});
