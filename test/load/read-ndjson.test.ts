import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNdjson } from '../../shared/load/read-ndjson.ts';
import { readPlainNdjson } from '../../shared/load/read-plain-ndjson.ts';

const blockOf = (text: string) => ({ bytes: new Uint8Array(Buffer.from(text)), line: 5 });

/** What JSON.parse says of each line: the peer of the quick way. */
function parseLines(text: string): { rows: Record<string, unknown>[]; lines: number[] } {
  const lines = text.split('\n').flatMap((it, i) => (it === '' ? [] : [{ line: 5 + i, row: JSON.parse(it) }]));
  return { rows: lines.map((it) => it.row), lines: lines.map((it) => it.line) };
}

async function readQuickly(text: string): Promise<ReturnType<typeof parseLines> | undefined> {
  const batch = readPlainNdjson(blockOf(text));
  if (batch === undefined) return undefined;
  const columns = await Promise.all(batch.names.map((name) => batch.read(name)));
  const rows = Array.from({ length: batch.rows }, (_, row) =>
    Object.fromEntries(batch.names.map((name, i) => [name, columns[i]?.[0]?.values[row]])),
  );
  return { rows, lines: rows.map((_, row) => batch.lineOf(row)) };
}

/** Null and the empty text are both no value to a load. */
function withoutNulls<T extends { rows: Record<string, unknown>[] }>(read: T): T {
  return {
    ...read,
    rows: read.rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, it]) => [name, it ?? '']))),
  };
}

const plainText: fc.Arbitrary<string | number> = fc.string({
  unit: fc.constantFrom('a', 'ü', '🥛', ' ', ',', ':', '{', '}', "'", '\u007f'),
  maxLength: 8,
});
const plainNumber: fc.Arbitrary<string | number> = fc.oneof(
  fc.nat(),
  fc.constant(0),
  fc.nat(9_999_999).map((it) => it / 1000),
);
const separators = fc.constantFrom([',', ':', '{', '}'], [', ', ': ', '{', '}'], [' ,\t', ' : ', '{ ', ' }\r']);
const kinds = fc.array(fc.constantFrom('text', 'number'), { minLength: 1, maxLength: 4 });

const plainFile = kinds.chain((columns) =>
  fc.tuple(
    fc.array(fc.tuple(...columns.map((kind) => fc.option(kind === 'text' ? plainText : plainNumber, { freq: 5 }))), {
      minLength: 1,
      maxLength: 6,
    }),
    separators,
  ),
);

test('lines alike but for their values are read as JSON.parse reads them, whatever the values and the space between', async () => {
  await fc.assert(
    fc.asyncProperty(plainFile, fc.boolean(), async ([rows, separator], hasLastEnd) => {
      const [comma = '', colon = '', open = '', close = ''] = separator;
      const lines = rows.map((row) => {
        const members = row.map((value, i) => `"c${i}"${colon}${JSON.stringify(value)}`);
        return `${open}${members.join(comma)}${close}`;
      });
      const text = `${lines.join('\n')}${hasLastEnd ? '\n\n' : ''}`;
      expect(await readQuickly(text)).toEqual(withoutNulls(parseLines(text)));
    }),
    { numRuns: 500 },
  );
});

const LINE = '{"day":"2026-01-02","shown":12,"cost":1.50}';

test.each([
  ['another member', '{"day":"2026-01-02","shown":12,"cost":1.5,"more":1}'],
  ['a member less', '{"day":"2026-01-02","shown":12}'],
  ['another order', '{"shown":12,"day":"2026-01-02","cost":1.5}'],
  ['another kind', '{"day":"2026-01-02","shown":"12","cost":1.5}'],
  ['an escape', '{"day":"2026\\u002d01","shown":12,"cost":1.5}'],
  ['a control character', '{"day":"2026\t","shown":12,"cost":1.5}'],
  ['a number that begins with zero', '{"day":"2026-01-02","shown":012,"cost":1.5}'],
  ['a number that ends in a point', '{"day":"2026-01-02","shown":12.,"cost":1.5}'],
  ['a negative number', '{"day":"2026-01-02","shown":-12,"cost":1.5}'],
  ['an exponent', '{"day":"2026-01-02","shown":1e2,"cost":1.5}'],
  ['more digits than a double has', '{"day":"2026-01-02","shown":12345678901234567,"cost":1.5}'],
  ['true', '{"day":"2026-01-02","shown":true,"cost":1.5}'],
  ['a list', '{"day":["2026-01-02"],"shown":12,"cost":1.5}'],
  ['what begins like null', '{"day":nil,"shown":12,"cost":1.5}'],
  ['an end too early', '{"day":"2026-01-02","shown":12,"cost":1.5'],
  ['something after the end', '{"day":"2026-01-02","shown":12,"cost":1.5} {}'],
  ['two objects in a line', `${LINE}${LINE}`],
  ['a text that does not end', '{"day":"2026-01-02'],
  ['no object', '[1]'],
  ['a space', ' '],
])('a block with %s is parsed as JSON', (_, line) => {
  expect(readPlainNdjson(blockOf(`${LINE}\n${LINE}\n`))?.rows).toBe(2);
  expect(readPlainNdjson(blockOf(`${LINE}\n${line}\n`))).toBeUndefined();
});

test.each([
  '{}',
  '{"a":1,"a":2}',
  '{"a\\u0062":1}',
  '{"a":{"b":1}}',
  '{"a":1{"b":1}',
  '',
  '{"a":01}',
  '{"a":1.}',
  '{"a":..}',
])('a block that begins with %s is parsed as JSON', (line) => {
  expect(readPlainNdjson(blockOf(`${line}\n`))).toBeUndefined();
});

test('both ways tell the columns with the first line that has them, and a problem with its line', async () => {
  const told = async (text: string) => {
    const calls: unknown[] = [];
    const batch = readNdjson(blockOf(text), {
      problem: (line, reason) => void calls.push([line, reason]),
      header: () => undefined,
      column: (name, line) => void calls.push([name, line]),
    });
    return [calls, batch.rows];
  };
  expect(await told('\n{"a":1,"b":"x"}\n{"a":2,"b":null}')).toEqual([
    [
      ['a', 6],
      ['b', 6],
    ],
    2,
  ]);
  expect(await told('\n{"a":1,"b":"x"}\n{"a":2,"c":null}')).toEqual([
    [
      ['a', 6],
      ['b', 6],
      ['c', 7],
    ],
    2,
  ]);
  expect(await told('{"a":1}\n{"a":1')).toEqual([
    [
      [6, expect.stringMatching(/^is not JSON: /)],
      ['a', 5],
    ],
    1,
  ]);
});
