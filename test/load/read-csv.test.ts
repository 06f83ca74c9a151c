import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvReader } from '../../shared/load/read-csv.ts';
import { readPlainCsv } from '../../shared/load/read-plain-csv.ts';
import type { RowBatch, RowSink } from '../../shared/load/row-batch.ts';
import type { TextBlock } from '../../shared/load/text-blocks.ts';

const HEADER = ['a', 'b', 'c'];

interface Read {
  readonly rows: readonly (readonly unknown[])[];
  readonly problems: readonly (readonly [line: number, reason: string])[];
}

type ReadBlocks = (blocks: readonly TextBlock[], sink: RowSink) => (RowBatch | undefined)[];

const readQuoted: ReadBlocks = (blocks, sink) => {
  const reader = new CsvReader(sink, HEADER);
  return [...blocks.map((it) => reader.read(it)), reader.end()];
};

const readPlain: ReadBlocks = (blocks, sink) =>
  blocks.map(({ text, line }) => readPlainCsv({ bytes: Buffer.from(text), line }, HEADER, sink));

/** @returns the rows of the blocks with their lines in front, read one block after another */
async function read(readBlocks: ReadBlocks, ...texts: readonly string[]): Promise<Read> {
  const problems: [number, string][] = [];
  const ignore = () => undefined;
  const sink = {
    problem: (line: number, reason: string) => void problems.push([line, reason]),
    header: ignore,
    column: ignore,
  };
  let line = 2;
  const blocks = texts.map((text) => {
    const block = { text, line };
    line += text.split('\n').length - 1;
    return block;
  });
  const batches = readBlocks(blocks, sink);
  const rows: unknown[][] = [];
  for (const batch of batches) {
    const columns = await Promise.all(HEADER.map((name) => batch?.read(name) ?? []));
    for (let row = 0; row < (batch?.rows ?? 0); row++) {
      rows.push([batch?.lineOf(row), ...columns.map(([piece]) => piece?.values[row])]);
    }
  }
  return { rows, problems };
}

const cell = fc.string({ unit: fc.constantFrom('x', 'ü', '🥛', ' ', "'", ';', '\t', '\r'), maxLength: 15 });
const lines = fc.array(
  fc.array(cell, { maxLength: 5 }).map((cells) => cells.join(',')),
  { maxLength: 8 },
);
const lineEnd = fc.constantFrom('\n', '\r\n');

test('blocks without quotes are read as those with quotes are, whatever their lines and however many are in a block', async () => {
  await fc.assert(
    fc.asyncProperty(lines, lineEnd, fc.nat(8), async (given, end, cut) => {
      const whole = given.map((it) => `${it}${end}`);
      const plain = await read(readPlain, whole.slice(0, cut).join(''), whole.slice(cut).join(''));
      const quoted = await read(readQuoted, `${whole.join('')}"1","2","3"\n`);
      expect({ rows: [...plain.rows, [2 + given.length, '1', '2', '3']], problems: plain.problems }).toEqual(quoted);
    }),
  );
});

test('quoted cells are read as they were written, whatever is in them, however the lines end and wherever blocks do', async () => {
  const written = fc.string({ unit: fc.constantFrom('x', ',', '"', '\r', '\n', '\r\n', ' ', '🥛'), maxLength: 8 });
  const rows = fc.array(fc.tuple(written, written, written), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rows, lineEnd, fc.boolean(), async (given, end, whole) => {
      const text = given.map((row) => `${row.map((it) => `"${it.replaceAll('"', '""')}"`).join(',')}${end}`).join('');
      const blocks = whole ? [text] : text.split(/(?<=\n)/);
      const { rows: found, problems } = await read(readQuoted, ...blocks);
      expect(problems).toEqual([]);
      expect(found.map(([, ...row]) => row)).toEqual(given);
    }),
    { numRuns: 500 },
  );
});

test('lines without quotes are records; empty ones are passed over, and those of another length are told', async () => {
  expect(await read(readPlain, '1,2,3\n\n,,\n1,2\n1,2,3,4\nlong text of a cell,ü,\n', 'a,b,c\r\nlast,one,x')).toEqual({
    rows: [
      [2, '1', '2', '3'],
      [4, '', '', ''],
      [7, 'long text of a cell', 'ü', ''],
      [8, 'a', 'b', 'c'],
      [9, 'last', 'one', 'x'],
    ],
    problems: [
      [5, 'has 2 cells where the header has 3'],
      [6, 'has 4 cells where the header has 3'],
    ],
  });
});

test('a header of very many columns does not take memory for rows that are not there', () => {
  const header = Array.from({ length: 200_000 }, (_, i) => `c${i}`);
  const line = { bytes: Buffer.from(`${','.repeat(header.length - 1)}\n`), line: 2 };
  const before = process.memoryUsage().arrayBuffers;
  const sink = { problem: () => undefined, header: () => undefined, column: () => undefined };
  expect(readPlainCsv(line, header, sink).rows).toBe(1);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20);
});
