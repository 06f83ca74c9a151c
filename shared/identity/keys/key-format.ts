import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of a generated key, for secret scanners: `ecap_`, 43 random digits in base 62 (256 bits), and 6 digits in base 62 with the CRC-32 of all that
 * precedes them. The demo's fixed keys do not match it, but are accepted.
 */
export const KEY_PATTERN = /^ecap_[0-9A-Za-z]{49}$/;

export const KEY_PREFIX = 'ecap_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

export function generateKey(): string {
  const random = Array.from({ length: RANDOM_DIGITS }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return `${KEY_PREFIX}${random}${checksumOf(`${KEY_PREFIX}${random}`)}`;
}

/**
 * @returns whether the text begins like a key and is longer than the demo's fixed keys, but has no valid checksum: no such key was ever created, so the
 * table need not be read
 */
export function isMistyped(key: string): boolean {
  if (!key.startsWith(KEY_PREFIX) || key.length <= KEY_PREFIX.length + RANDOM_DIGITS) return false;
  const end = key.length - CHECKSUM_DIGITS;
  return !KEY_PATTERN.test(key) || checksumOf(key.slice(0, end)) !== key.slice(end);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_DIGITS; index += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
