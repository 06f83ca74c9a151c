import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkCustomFields } from '../../infra/config/custom-fields.ts';

const folder = mkdtempSync(join(tmpdir(), 'endcap-fields-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'endcap.fields.json');

/** In each line are declarations, and after an arrow a part of the message. */
const REJECTED = readFileSync(join(import.meta.dirname, 'rejected-fields.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split(' → '));

test.each(REJECTED)('declarations are rejected by name: %s', (declarations, message) => {
  writeFileSync(file, declarations ?? '');
  expect(() => checkCustomFields(file)).toThrow(message);
});

test.each([
  '{}',
  '{"ratios":{"cpc_thousand":{"of":"cost","to":"clicks","factor":1000,"unit":"currency"}}}',
  '{"dimensions":{"supplier":{"of":"products"},"purchased_supplier":{"of":"purchased products","column":"supplier"}}}',
  '{"dimensions":{"shelf":{"of":"products","column":"category"},"label":{"of":"campaigns"},"ad_group_label":{"of":"ad_groups","column":"label"}}}',
  '{"measures":{"reach":{"table":"delivery","unit":"count"}}}',
])('declarations are accepted: %s', (declarations) => {
  writeFileSync(file, declarations);
  expect(() => checkCustomFields(file)).not.toThrow();
});

test('all that is wrong is named in one error, with the file', () => {
  writeFileSync(file, '{"measures":{"cost":{"table":"delivery","unit":"count"}},"ratios":{"r":{"of":"a","to":"b"}}}');
  expect(() => checkCustomFields(file)).toThrow(
    /fields\.json\) are not valid:\n {2}measures\.cost .*\n {2}ratios\.r is of a, .*\n {2}ratios\.r is of b, /,
  );
  writeFileSync(file, '{"measures":');
  expect(() => checkCustomFields(file)).toThrow(`${file} cannot be read: `);
  expect(() => checkCustomFields(join(folder, 'missing.json'))).not.toThrow();
});
