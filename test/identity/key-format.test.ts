import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { generateKey, isMistyped, KEY_PATTERN } from '../../shared/identity/keys/key-format.ts';

const PREFIX = 'ecap_';
const RANDOM_DIGITS = 43;
const DIGITS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

describe('a generated key', () => {
  test('has the documented form: its last 6 digits are the CRC-32 of the others in base 62', () => {
    for (let count = 0; count < 200; count += 1) {
      const key = generateKey();
      expect(key).toMatch(KEY_PATTERN);
      const checksum = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
      expect(checksum).toBe(crc32(key.slice(0, -6)));
      expect(isMistyped(key)).toBe(false);
    }
  });

  test('is mistyped after a change of one character after the prefix, a swap of two different neighbours, or one character more or less at the end', () => {
    const key = generateKey();
    for (let at = PREFIX.length; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isMistyped(`${key.slice(0, at)}${other}${key.slice(at + 1)}`)).toBe(true);
      const swapped = `${key.slice(0, at)}${key[at + 1] ?? ''}${key[at]}${key.slice(at + 2)}`;
      expect(isMistyped(swapped)).toBe(swapped !== key);
    }
    expect(isMistyped(key.slice(0, -1))).toBe(true);
    expect(isMistyped(`${key}x`)).toBe(true);
    expect(isMistyped(`${key} `)).toBe(true);
  });

  test('uses every digit about equally often', () => {
    const counts = new Map(DIGITS.map((digit) => [digit, 0]));
    for (let count = 0; count < 1_000; count += 1) {
      for (const digit of generateKey().slice(PREFIX.length, PREFIX.length + RANDOM_DIGITS))
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    const expected = (1_000 * RANDOM_DIGITS) / DIGITS.length;
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected / 2);
  });
});

test.each(['ecap_demo_agency', 'key-ana', ''])(
  'a demo key, or a text without the prefix is not mistyped: %j',
  (key) => {
    expect(isMistyped(key)).toBe(false);
  },
);
