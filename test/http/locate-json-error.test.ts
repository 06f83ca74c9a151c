import { expect, test } from 'vitest';
import { locateJsonError } from '../../shared/http/locate-json-error.ts';

test.each([
  ['an unexpected token, which the parser does not place', '{"a": x}', 1, 7, false],
  ['the same far down', `{\n"a": "${'y'.repeat(5000)}",\n "b": [1, NaN]}`, 3, 11, false],
  ['a quotation of what the parser says of others', '[" at position 3 ", x]', 1, 21, false],
  ['a comma before the end of a list', '[1,]', 1, 4, false],
  ['a comma before the end of an object', '{"a": 1,\r\n}', 2, 1, false],
  ['a comma that lacks', '{"a": 1\n "b": 2}', 2, 2, false],
  ['single quotes', "{'a': 1}", 1, 2, false],
  ['a line break in a text', '["a\nb"]', 1, 4, false],
  ['a wrong escape', '["\\x"]', 1, 4, false],
  ['a leading zero', '{"a": 01}', 1, 8, false],
  ['something after the end', '{}\n\n}', 3, 1, false],
  ['a byte order mark', '\ufeff{}', 1, 1, false],
  ['no JSON at all', 'filters=1', 1, 2, false], // it could have become "false"
  ['an object that does not end', '{"a":\n [1', 2, 4, true],
  ['a text that does not end', '{"a": "b', 1, 9, true],
  ['a word that does not end', '[tru', 1, 5, true],
  ['only space', ' ', 1, 2, true],
])('finds %s', (_, text, line, column, isAtEnd) => {
  expect(locateJsonError(text)).toEqual({ line, column, isAtEnd });
});

test('the place is where every further beginning of the text is wrong, and none before it', () => {
  const good = '{"a": [1, 2.5e-3, "x\\u00e9\\n", true, null], "b": {}}';
  for (let at = 0; at < good.length; at++) {
    expect(locateJsonError(good.slice(0, at))).toEqual({ line: 1, column: at + 1, isAtEnd: true });
    expect(locateJsonError(`${good.slice(0, at)}\u0000${good.slice(at)}`)).toMatchObject({ line: 1, column: at + 1 });
  }
});
