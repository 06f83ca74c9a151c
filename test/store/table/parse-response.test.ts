import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseResponse } from '../../../shared/store/table/parse-response.ts';

type Value = string | number | boolean | null | Uint8Array | readonly Value[] | { readonly [name: string]: Value };

/** Texts that look like parts of a response, and names that are those of types. */
const TEXTS = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"B":"', '\\"B":"AQ==', '","B":"AA==', '#0', 'B', 'S', 'ü', '\\', '{"B":"AQ=="}'),
);
const { value: VALUES } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    TEXTS,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 99 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(TEXTS, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** @returns the value as DynamoDB writes it; `binary` writes bytes */
function encode(value: Value, binary: (bytes: Uint8Array) => unknown): object {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: binary(value) };
  if (Array.isArray(value)) return { L: value.map((member) => encode(member, binary)) };
  const members = Object.entries(value).map(([name, member]) => [name, encode(member, binary)]);
  return { M: Object.fromEntries(members) };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('a response is parsed as JSON, with its binary values as bytes, whatever its texts and names are', () => {
  fc.assert(
    fc.property(fc.array(VALUES), fc.boolean(), (values, isIndented) => {
      const responseOf = (binary: (bytes: Uint8Array) => unknown) => ({
        Items: values.map((value) => ({ pk: { S: 'a' }, value: encode(value, binary) })),
        Count: values.length,
      });
      const text = JSON.stringify(responseOf(base64), undefined, isIndented ? 1 : undefined);
      expect(parseResponse(Buffer.from(text))).toEqual(responseOf((bytes) => Uint8Array.from(bytes)));
    }),
    { numRuns: 2_000 },
  );
});

test('every part of a response throws SyntaxError', () => {
  const whole = Buffer.from('{"Items":[{"bytes":{"B":"AQI="},"pk":{"S":"ü"}},{"bytes":{"B":""}}],"Count":2}');
  expect(parseResponse(whole)).toEqual({
    Items: [{ bytes: { B: Uint8Array.of(1, 2) }, pk: { S: 'ü' } }, { bytes: { B: new Uint8Array() } }],
    Count: 2,
  });
  for (let length = 0; length < whole.length; length++)
    expect(() => parseResponse(whole.subarray(0, length))).toThrow(SyntaxError);
});
