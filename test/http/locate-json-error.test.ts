import { expect, test } from 'vitest';
import { locateJsonError } from '../../shared/http/locate-json-error.ts';

test.each([
  ['an unexpected token, whose offset the parser does not report', '{"a": x}', 1, 7, false],
  ['an unexpected token in a long text', `{\n"a": "${'y'.repeat(5000)}",\n "b": [1, NaN]}`, 3, 11, false],
  ['an unexpected token after a text that looks like a message of the parser', '[" at position 3 ", x]', 1, 21, false],
  ['a comma before the end of a list', '[1,]', 1, 4, false],
  ['a comma before the end of an object', '{"a": 1,\r\n}', 2, 1, false],
  ['a missing comma', '{"a": 1\n "b": 2}', 2, 2, false],
  ['single quotes', "{'a': 1}", 1, 2, false],
  ['a line break in a string', '["a\nb"]', 1, 4, false],
  ['an invalid escape', '["\\x"]', 1, 4, false],
  ['a leading zero', '{"a": 01}', 1, 8, false],
  ['text after the end', '{}\n\n}', 3, 1, false],
  ['a byte order mark', '\ufeff{}', 1, 1, false],
  ['text that is not JSON', 'filters=1', 1, 2, false], // the prefix could continue to "false"
  ['an unterminated object', '{"a":\n [1', 2, 4, true],
  ['an unterminated string', '{"a": "b', 1, 9, true],
  ['an unterminated literal', '[tru', 1, 5, true],
  ['whitespace only', ' ', 1, 2, true],
])('locates %s', (_, text, line, column, isAtEnd) => {
  expect(locateJsonError(text)).toEqual({ line, column, isAtEnd });
});

test('the position is the end of the longest prefix that is valid so far', () => {
  const good = '{"a": [1, 2.5e-3, "x\\u00e9\\n", true, null], "b": {}}';
  for (let at = 0; at < good.length; at++) {
    expect(locateJsonError(good.slice(0, at))).toEqual({ line: 1, column: at + 1, isAtEnd: true });
    expect(locateJsonError(`${good.slice(0, at)}\u0000${good.slice(at)}`)).toMatchObject({ line: 1, column: at + 1 });
  }
});
