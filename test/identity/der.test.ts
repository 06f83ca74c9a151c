import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { derToRaw } from '../../shared/identity/der.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const zeros = (count: number) => '00'.repeat(count);

describe('a DER signature as r‖s', () => {
  test('500 signatures by Node still verify, short integers among them', () => {
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

  test('leading zeros are put back, and the sign byte is taken off', () => {
    expect(Buffer.from(derToRaw(hex('3007 0201 01 0202 00ff'))).toString('hex')).toBe(`${zeros(31)}01${zeros(31)}ff`);
  });

  test.each([
    ['nothing', ''],
    ['another tag', '3107 0201 01 0202 00ff'],
    ['a length that does not fit', '3008 0201 01 0202 00ff'],
    ['cut off', '3006 0201 01 0202 00'],
    ['no second integer', '3003 0201 01'],
    ['an empty integer', '3005 0200 0201 01'],
    ['an integer of 33 bytes', `3026 0221 01${zeros(32)} 0201 01`],
    ['something behind', '3009 0201 01 0202 00ff 0000'],
  ])('%s is an error', (_, text) => {
    expect(() => derToRaw(hex(text))).toThrow('no DER signature');
  });
});
