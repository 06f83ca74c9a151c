import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfCsvRecords, readCsv } from '../../../shared/load/source/read-csv.ts';
import { cutBlocks, type TextBlock } from '../../../shared/load/source/text-blocks.ts';

const HEADER = ['a', 'b', 'c'];
const ignore = () => undefined;
const SINK = {
  partitions: new Map(),
  nullWords: [],
  problem: ignore,
  emptyRow: ignore,
  column: (name: string) => name,
};

interface Read {
  /** Cells by row, with the line before them. */
  readonly rows: readonly (readonly unknown[])[];
  readonly problems: readonly (readonly [line: number, reason: string])[];
}

const blockOf = (text: string, line = 2): TextBlock => ({ bytes: new Uint8Array(Buffer.from(text)), line });

async function read(blocks: readonly TextBlock[]): Promise<Read> {
  const problems: [number, string][] = [];
  const sink = {
    ...SINK,
    problem: (line: number, reason: string) => void problems.push([line, reason]),
  };
  const rows: unknown[][] = [];
  for (const block of blocks) {
    const batch = readCsv(block, HEADER, sink);
    const columns = await Promise.all(HEADER.map((name) => batch.read(name)));
    for (let row = 0; row < batch.rows; row++) rows.push([batch.lineOf(row), ...columns.map((values) => values[row])]);
  }
  return { rows, problems };
}

/** @returns the blocks that a file of the text is cut into */
async function cut(text: string, pieceBytes = 100_000): Promise<TextBlock[]> {
  return Array.fromAsync(cutBlocks(inPieces(Buffer.from(text), pieceBytes), endOfCsvRecords));
}

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const lineEnd = fc.constantFrom('\n', '\r\n');
const written = fc.string({ unit: fc.constantFrom('x', ',', '"', '\r', '\n', '\r\n', ' ', '🥛'), maxLength: 8 });
const record = fc.tuple(written, written, written).filter((cells) => cells.some((cell) => cell !== ''));
const records = fc.array(record, { maxLength: 6 });
const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

test('reads quoted cells exactly, whatever their content, the line breaks and the block boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(records, lineEnd, fc.nat(6), async (given, end, at) => {
      const lines = given.map((record) => `${record.map(quote).join(',')}${end}`);
      const first = lines.slice(0, at).join('');
      const blocks = [blockOf(first), blockOf(lines.slice(at).join(''), 2 + first.split('\n').length - 1)];
      const { rows, problems } = await read(blocks);
      expect(problems).toEqual([]);
      expect(rows.map(([, ...cells]) => cells)).toEqual(given);
      const starts = lines.map((_, i) => 2 + lines.slice(0, i).join('').split('\n').length - 1);
      expect(rows.map(([line]) => line)).toEqual(starts);
    }),
    { numRuns: 500 },
  );
});

test('reads cells without quotes as the text between the commas', async () => {
  const cell = fc.string({ unit: fc.constantFrom('x', 'ü', '🥛', ' ', "'", ';', '\t'), minLength: 1, maxLength: 15 });
  const plain = fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(plain, lineEnd, fc.boolean(), async (given, end, hasLastEnd) => {
      const text = given.map((cells) => cells.join(',')).join(end) + (hasLastEnd ? end : '');
      expect((await read([blockOf(text)])).rows).toEqual(given.map((cells, i) => [2 + i, ...cells]));
    }),
  );
});

test('skips empty lines and rows, and reports records of another length', async () => {
  const text = '1,2,3\n\n,,\n1,2\n1,2,3,4\nlong text of a cell,ü,\na,b,c\r\nlast,one,x';
  expect(await read([blockOf(text)])).toEqual({
    rows: [
      [2, '1', '2', '3'],
      [7, 'long text of a cell', 'ü', ''],
      [8, 'a', 'b', 'c'],
      [9, 'last', 'one', 'x'],
    ],
    problems: [
      [5, 'has 2 cells, but the header has 3'],
      [6, 'has 4 cells, but the header has 3'],
    ],
  });
});

test('quotes inside a cell that begins without one belong to it, and spaces after a closing quote do not', async () => {
  const { rows, problems } = await read([blockOf('5" pipe,a""b,"c" \n"d"\t,e"," f"\n')]);
  expect({ rows: rows.map(([, ...cells]) => cells), problems }).toEqual({
    rows: [
      ['5" pipe', 'a""b', 'c'],
      ['d', 'e"', ' f'],
    ],
    problems: [],
  });
});

test('reports records with wrong quotes, and omits them', async () => {
  expect(await read([blockOf('1,2,3\n"a"b",2,3\n4,5,6\n7,"8,9\n')])).toEqual({
    rows: [
      [2, '1', '2', '3'],
      [4, '4', '5', '6'],
    ],
    problems: [
      [3, 'is malformed: a closing quote is followed by other text, so lines after it may not be checked'],
      [5, 'is malformed: a quoted cell is not closed, so lines after it may not be checked'],
    ],
  });
});

test('cuts blocks between records, also if a cell is longer than a block', async () => {
  const cells = Array.from({ length: 80 }, (_, i) => `"line" ${i}\n${'x, '.repeat(i % 10 === 0 ? 500_000 : 50_000)}`);
  const text = cells.map((cell, i) => `${i},${quote(cell)},5" pipe\n`).join('');
  const blocks = await cut(text);
  expect(blocks.length).toBeGreaterThan(5);
  const { rows, problems } = await read(blocks);
  expect(problems).toEqual([]);
  expect(rows).toEqual(cells.map((cell, i) => [1 + 2 * i, String(i), cell, '5" pipe']));
});

test.each([100_000, 1 << 20])(
  'reads a quoted record of 16 MiB in pieces of %i bytes, and rejects a longer one',
  async (pieceBytes) => {
    const recordOf = (bytes: number) => `1,"${'x'.repeat(bytes - 6)}",\n`;
    const before = 'x,y,z\n'.repeat(20_000);
    for (const bytes of [16_700_000, 16 << 20]) {
      const { rows, problems } = await read(await cut(before + recordOf(bytes), pieceBytes));
      expect({ rows: rows.length, problems }).toEqual({ rows: 20_001, problems: [] });
    }
    await expect(cut(before + recordOf(18 << 20), pieceBytes).then((blocks) => blocks.length)).rejects.toMatchObject({
      message: 'is longer than 16 MiB: is a quote not closed, or do lines not end in LF or CRLF?',
      line: 20_001,
    });
  },
);

test('reads a block of one column in linear time', async () => {
  const text = 'x\n'.repeat(1 << 18);
  const batch = readCsv(blockOf(text), ['a'], SINK);
  expect(batch.rows).toBe(1 << 18); // a search for the next comma in every line would take minutes
});
