import type { Random } from '../../oracle/random/random.ts';

/** A changed file. */
export interface Mutant {
  readonly bytes: Buffer;
  /** The line that must be named if the file is rejected; absent if the change does not decide it. */
  readonly line?: number;
  /** What must happen to the file, if the change decides it. */
  readonly outcome?: 'loaded' | 'rejected';
}

const CELLS = [
  '',
  '0',
  '-1',
  '1e3',
  '007',
  '9007199254740993',
  '1.5',
  'NaN',
  'é\u0301',
  '\u{1F600}',
  '"',
  'a|b',
  '2026-02-30',
  ' 1',
  'null',
  'x'.repeat(1_001),
];
const FRAGMENTS = [
  '"',
  ',',
  '\n',
  '\r',
  '\r\n',
  '\0',
  '\ufeff',
  '{',
  '}',
  '[',
  '\\',
  '|',
  ' ',
  '\u2028',
  '0',
  '-',
  ':',
];
const NOT_UTF8 = [0xff, 0xc0, 0xed, 0x80];

/** @returns the NDJSON with one record or a few bytes changed, or a line inserted */
export function mutateNdjson(random: Random, text: string): Mutant {
  const lines = text.trimEnd().split('\n');
  const at = random.int(lines.length);
  const record: Record<string, unknown> = Object(JSON.parse(lines[at] ?? '{}'));
  const name = random.pick(Object.keys(record));
  const withRecord = (changed: string) => mutant(lines.with(at, changed).join('\n'), at + 1);
  switch (random.int(8)) {
    case 0:
      return withRecord(
        JSON.stringify({
          ...record,
          [name]: random.pick<unknown>([...CELLS, null, true, [], {}, [1], 1e300, -0, 0.5]),
        }),
      );
    case 1:
      return withRecord(
        JSON.stringify(Object.fromEntries(Object.entries(record).filter(([member]) => member !== name))),
      );
    case 2:
      return withRecord(JSON.stringify(Object.fromEntries(Object.entries(record).toReversed())));
    case 3:
      return withRecord(JSON.stringify({ ...record, [random.pick(['Hour', 'extra', '__proto__x', ''])]: 1 }));
    case 4:
      return withRecord((lines[at] ?? '').replace('{', `{"${name}":${JSON.stringify(random.pick(CELLS))},`)); // a member twice
    case 5:
      return withRecord('['.repeat(1 + random.int(5_000)));
    case 6:
      return mutant(
        lines.toSpliced(at, 0, random.pick(['', ' ', '\r', 'null', '[]', '1', lines[at] ?? ''])).join('\n'),
      );
    default:
      return mutateBytes(random, text);
  }
}

/** @returns the CSV with one cell, line or column, the order of the columns, all line breaks or a few bytes changed */
export function mutateCsv(random: Random, text: string): Mutant {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const at = random.int(rows.length);
  const row = rows[at] ?? [];
  const cell = random.int(row.length);
  const withRows = (changed: readonly (readonly string[])[], line?: number) =>
    mutant(changed.map((cells) => cells.join(',')).join('\n'), line);
  // if the header has another number of cells, the line that is named may be the header or the first row
  const resized = at === 0 ? undefined : at + 1;
  switch (random.int(9)) {
    case 0:
      return withRows(rows.with(at, row.with(cell, random.pick(CELLS))), at + 1);
    case 1:
      return withRows(
        rows.with(
          at,
          row.with(cell, `"${(row[cell] ?? '').replaceAll('"', '""')}${random.pick(['', '\n', '""', ',', '\r\n'])}"`),
        ),
        at + 1,
      );
    case 2:
      return withRows(rows.with(at, row.toSpliced(cell, 1)), resized);
    case 3:
      return withRows(rows.with(at, row.toSpliced(cell, 0, random.pick(CELLS))), resized);
    case 4:
      return withRows(rows.map((cells) => cells.toSpliced(cell, 1)));
    case 5:
      return withRows(rows.map((cells) => cells.toReversed()));
    case 6:
      // a second header is a wrong row; before the first one, it takes its place, and the first one is the wrong row, on line 2
      return withRows(rows.toSpliced(at, 0, random.pick([[''], row, rows[0] ?? []])), Math.max(2, at + 1));
    case 7:
      // CRLF is accepted; CR alone ends no line, so the whole file is line 1
      return mutant(text.replaceAll('\n', random.pick(['\r\n', '\r'])), 1);
    default:
      return mutateBytes(random, text);
  }
}

/** @returns the text cut short, or with a fragment or a byte that is not UTF-8 inserted, or in the place of one or two bytes */
function mutateBytes(random: Random, text: string): Mutant {
  const bytes = Buffer.from(text);
  const at = random.int(bytes.length);
  const rest = bytes.subarray(at + random.int(3));
  const inserted = random.chance(0.3) ? Buffer.from([random.pick(NOT_UTF8)]) : Buffer.from(random.pick(FRAGMENTS));
  if (random.chance(0.2)) return { bytes: bytes.subarray(0, at) };
  return { bytes: Buffer.concat([bytes.subarray(0, at), inserted, rest]) };
}

/** @returns the bytes with one bit changed, or some of them cut off, repeated or added; for formats that are not text */
export function mutateBinary(random: Random, bytes: Buffer): Mutant {
  const at = random.int(bytes.length);
  switch (random.int(6)) {
    case 0:
      return { bytes: bytes.subarray(0, at) };
    case 1:
      return { bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 1 - random.int(50)))]) };
    case 2:
      return {
        bytes: Buffer.concat([bytes, Buffer.from(Array.from({ length: 1 + random.int(40) }, () => random.int(256)))]),
      };
    default: {
      const changed = Buffer.from(bytes);
      // one bit only: of two, DuckDB might reject the file for a harmless one, and so not show which rows the other one changes
      changed[at] = (changed[at] ?? 0) ^ (1 << random.int(8));
      return { bytes: changed };
    }
  }
}

function mutant(text: string, line?: number): Mutant {
  return { bytes: Buffer.from(text), ...(line === undefined ? {} : { line }) };
}
