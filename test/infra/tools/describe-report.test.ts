import { expect, test } from 'vitest';
import { compactCsv } from '../../../infra/tools/mcp/describe-report.ts';

const KEYWORD = {
  name: 'keyword',
  title: 'Keyword',
  role: 'dimension',
  type: 'text',
  unit: null,
  description: '',
} as const;

test('the texts null and "" differ from no value in the rows for agents', () => {
  const rows = ['null', null, undefined, '', 'a,b', 'oats'].map((keyword) => ({ keyword }));
  expect(compactCsv([KEYWORD], rows)).toEqual(['keyword', '"null"', 'null', 'null', '""', '"a,b"', 'oats']);
});
