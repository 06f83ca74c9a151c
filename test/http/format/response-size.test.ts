import { expect, test } from 'vitest';
import { sizeInResponse } from '../../../shared/http/format/response-size.ts';

const bytesInJson = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

test('the size of a text is that of its JSON string, for every UTF-16 code unit', () => {
  const wrong = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
    .flatMap((text) => [text, `${text}x`, `\u{1f600}${text}`, `${text}${text}`])
    .filter((text) => sizeInResponse(text) !== bytesInJson(text));
  expect(wrong).toEqual([]);
});

test('the size of bytes is that of their base64', () => {
  const sizes = [0, 1, 2, 3, 4].map((length) => Buffer.alloc(length));
  expect(sizes.map((body) => sizeInResponse(body))).toEqual(sizes.map((bytes) => bytes.toString('base64').length));
});
