import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { derToRaw } from '../../shared/identity/der.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const zeros = (count: number) => '00'.repeat(count);

describe('derToRaw', () => {
  test('converts 500 signatures of Node, some with short integers, so that they still verify', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const lengths = new Set<number>();
    for (let index = 0; index < 500; index++) {
      const data = Buffer.from(`message ${index}`);
      const der = sign('sha256', data, privateKey);
      lengths.add(der.length);
      const raw = derToRaw(der);
      expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
    }
    expect(lengths.size).toBeGreaterThan(1);
  });

  test('restores leading zeros and removes the sign byte', () => {
    expect(Buffer.from(derToRaw(hex('3007 0201 01 0202 00ff'))).toString('hex')).toBe(`${zeros(31)}01${zeros(31)}ff`);
  });

  test.each([
    ['no bytes', ''],
    ['another tag', '3107 0201 01 0202 00ff'],
    ['a length that does not fit', '3008 0201 01 0202 00ff'],
    ['truncated bytes', '3006 0201 01 0202 00'],
    ['no second integer', '3003 0201 01'],
    ['an empty integer', '3005 0200 0201 01'],
    ['an integer of 33 bytes', `3026 0221 01${zeros(32)} 0201 01`],
    ['bytes after the end', '3009 0201 01 0202 00ff 0000'],
  ])('rejects %s', (_, text) => {
    expect(() => derToRaw(hex(text))).toThrow('not a DER signature');
  });
});
