import { expect, test } from 'vitest';
import { fittingSize, sizeInResponse } from '../../../shared/http/format/response-size.ts';

test('the size of a text is that of its JSON string, in which some characters take two or six bytes', () => {
  expect(sizeInResponse('a"\\\n\u0001\u20ac')).toBe(1 + 2 + 2 + 2 + 6 + 3);
});

test('the size of bytes is that of their base64', () => {
  const sizes = [0, 1, 2, 3, 4].map((length) => Buffer.alloc(length));
  expect(sizes.map((body) => sizeInResponse(body))).toEqual(sizes.map((bytes) => bytes.toString('base64').length));
});

test('the suggested size of a page has as many rows as fit, less a tenth, and at least one', () => {
  expect(fittingSize(10_000, 11_000_000)).toBe(4_500);
  expect(fittingSize(1, 100_000_000)).toBe(1);
});
