import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { directorySource } from '../../../shared/load/source/file-source.ts';
import type { HeaderSink, RowSink } from '../../../shared/load/source/row-batch.ts';
import { openSections, readSection } from '../../../shared/load/source/sections.ts';
import { cutBlocks, decodeBlock, endOfLines } from '../../../shared/load/source/text-blocks.ts';
import { makeFolder, type TestFolder } from '../support/folder.ts';

interface ReadFile {
  readonly columns: readonly string[];
  /** Cells by row, in the order of the columns, with the line before them. */
  readonly rows: readonly (readonly unknown[])[];
  readonly problems: readonly string[];
}

async function read(folder: TestFolder, name: string): Promise<ReadFile> {
  const columns: string[] = [];
  const problems: string[] = [];
  const sink: RowSink & HeaderSink = {
    partitions: new Map(),
    nullWords: [],
    problem: (line, reason) => void problems.push(`${line} ${reason}`),
    emptyRow: (line) => void problems.push(`${line} is empty`),
    header: (names) => {
      columns.push(...names);
      return [...names];
    },
    missing: () => [],
    warn: (text) => void problems.push(text),
    column: (column) => {
      if (!columns.includes(column)) columns.push(column);
      return column;
    },
  };
  const source = directorySource(folder.path);
  const file = (await source.list()).find((file) => file.name === name);
  const format = name.endsWith('csv') ? 'csv' : name.endsWith('parquet') ? 'parquet' : 'ndjson';
  const rows: unknown[][] = [];
  if (file === undefined) throw new Error(`${name} is not in the folder`);
  const reading = { source, temporaryDirectory: folder.path, signal: new AbortController().signal };
  for await (const section of openSections(reading, { ...file, format, partitions: [] }, sink)) {
    const batch = await readSection(section, sink);
    const cells = await Promise.all(columns.map((column) => batch.read(column)));
    for (let row = 0; row < batch.rows; row++) rows.push([batch.lineOf(row), ...cells.map((values) => values[row])]);
  }
  return { columns, rows, problems };
}

describe('cuts text into blocks of complete lines', () => {
  async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  test.each([1, 7, 1 << 16, 3 << 20])(
    'in pieces of %i bytes, characters and lines whole, lines numbered',
    async (size) => {
      const lines = Array.from({ length: size === 1 ? 20_000 : 150_000 }, (_, i) => `ä${i} €${'x'.repeat(i % 40)}`);
      const bytes = new TextEncoder().encode(`\ufeff${lines.join('\n')}`);
      const found: string[] = [];
      for await (const block of cutBlocks(pieces(bytes, size), endOfLines)) {
        const text = decodeBlock(block);
        expect(block.line).toBe(found.length + 1);
        found.push(...text.replace(/\n$/, '').split('\n'));
      }
      expect(found).toEqual(lines);
    },
  );

  /** Each row takes far more memory than its bytes: millions of them in one block took 400 MB. */
  test('with few short lines after a long one', async () => {
    const long = 9 << 20;
    const bytes = Buffer.concat([Buffer.alloc(long, 'x'), Buffer.from('\n{}'.repeat(2_000_000))]);
    const lengths: number[] = [];
    for await (const block of cutBlocks(pieces(bytes, 1 << 20), endOfLines)) lengths.push(block.bytes.length);
    expect(Math.max(...lengths)).toBeLessThan(long + (4 << 20));
  });

  test('reports the number of a line that is not UTF-8, in any block', async () => {
    const bytes = Buffer.concat([Buffer.from('a\n'.repeat(900_000)), Buffer.from([0xff, 0x0a])]);
    const readAll = async () => {
      for await (const block of cutBlocks(pieces(bytes, 1 << 18), endOfLines))
        expect(decodeBlock(block)).toContain('a');
    };
    await expect(readAll()).rejects.toMatchObject({ message: expect.stringContaining('is not UTF-8'), line: 900_001 });
  });
});

describe('CSV', () => {
  test.each([
    ['plain', 'id,name\r1,A\r2,B\r'],
    ['quoted', '"id","name"\r"1","A"\r'],
    ['of one column', 'id\r1'],
  ])('reports %s lines that end in CR alone', async (_, text) => {
    using folder = makeFolder();
    folder.write('a.csv', text);
    await expect(read(folder, 'a.csv')).rejects.toMatchObject({
      message: 'uses CR line endings; use LF or CRLF',
      line: 1,
    });
  });

  test('accepts a CR at the end of the file as the end of its last line', async () => {
    for (const last of ['1,A', '"1","A"']) {
      using folder = makeFolder();
      folder.write('a.csv', `id,name\r\n${last}\r`);
      expect(await read(folder, 'a.csv')).toEqual({ columns: ['id', 'name'], rows: [[2, '1', 'A']], problems: [] });
    }
  });
});

describe('NDJSON', () => {
  test('reports lines that end in CR alone', async () => {
    using folder = makeFolder();
    folder.write('a.ndjson', '{"a":1}\r{"a":2}\r');
    expect((await read(folder, 'a.ndjson')).problems).toEqual(['1 uses CR line endings; use LF or CRLF']);
  });

  test('reads members in any order, and absent members', async () => {
    using folder = makeFolder();
    folder.write('a.ndjson', '{"a":1,"b":2}\n{"b":3,"c":4,"a":5}\r\n\n{"c":6}\n{"a":null,"__proto__":7}\n');
    const { columns, rows, problems } = await read(folder, 'a.ndjson');
    expect({ columns, problems }).toEqual({ columns: ['a', 'b', 'c', '__proto__'], problems: [] });
    expect(rows).toEqual([
      [1, 1, 2, undefined, undefined],
      [2, 5, 3, 4, undefined],
      [4, undefined, undefined, 6, undefined],
      [5, null, undefined, undefined, 7],
    ]);
  });
});

describe('JSON arrays', () => {
  const objects = Array.from({ length: 40_000 }, (_, i) => {
    return { id: i, text: `ä "]}, [{\\" ${'\\'.repeat(i % 3)}`, list: [`,${i}`, '"'], long: 'x'.repeat(i % 90) };
  });
  const lines = (from: number, step: number) => objects.map((_, i) => from + i * step);

  test.each<[string, string, readonly number[]]>([
    ['in one line', JSON.stringify(objects), lines(1, 0)],
    ['one object per line', `[\n${objects.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`, lines(2, 1)],
    ['pretty-printed', JSON.stringify(objects, null, 2), lines(2, 9)],
    [
      'pretty-printed with CRLF and a byte order mark',
      `\ufeff\r\n ${JSON.stringify(objects, null, '\t').replaceAll('\n', '\r\n')}\r\n\r\n`,
      lines(3, 9),
    ],
    ['with commas in front', `[ ${objects.map((one) => `${JSON.stringify(one)}\n`).join(',')}]`, lines(1, 1)],
  ])('are read %s, as the parser reads them whole', async (_, text, expected) => {
    using folder = makeFolder();
    folder.write('a.json', text);
    const { columns, rows, problems } = await read(folder, 'a.json');
    expect({ columns, problems }).toEqual({ columns: ['id', 'text', 'list', 'long'], problems: [] });
    expect(rows).toEqual(objects.map(({ id, text, list, long }, i) => [expected[i], id, text, list, long]));
  });

  test.each([
    ['[{"a":1},\n{"a":2}', 'ends within its JSON array: is it truncated?'],
    ['[{"a":1},', 'ends within its JSON array: is it truncated?'],
    [`[${'{"a":1},\n'.repeat(200_000)}{"a"`, 'ends within its JSON array: is it truncated?'],
    ['[', 'ends within its JSON array: is it truncated?'],
    ['[{"a":1}]\n{"a":2}', 'ends within its JSON array: is it truncated?'],
  ])('that are truncated are an error', async (text, message) => {
    using folder = makeFolder();
    folder.write('a.json', text);
    await expect(read(folder, 'a.json')).rejects.toMatchObject({ message, line: null });
  });

  test('may be empty, and what is no object in them is reported with its line', async () => {
    using folder = makeFolder();
    folder.write('a.json', ' [ ]\n');
    expect(await read(folder, 'a.json')).toEqual({ columns: [], rows: [], problems: [] });
    folder.write('b.json', '[{"a":1},\n 5, [{"a":2}],\n{"a":3} {"a":4},{"a":}\n,{"a":6}][\n{"a":7}\n]');
    expect(await read(folder, 'b.json')).toEqual({
      columns: ['a'],
      rows: [
        [1, 1],
        [4, 6],
      ],
      problems: [
        '2 must be a JSON object, not 5',
        '2 must be a JSON object, not [{"a":2}]',
        expect.stringMatching(/^3 is not JSON: /),
        expect.stringMatching(/^3 is not JSON: /),
        '4 must be a JSON object, not [{"a":7}]',
      ],
    });
  });
});

describe('Parquet', () => {
  async function writeParquet(folder: TestFolder, sql: string, options = ''): Promise<void> {
    const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
    try {
      await duckdb.run(`COPY (${sql}) TO '${join(folder.path, 'a.parquet')}' (FORMAT parquet${options})`);
    } finally {
      duckdb.closeSync();
    }
  }

  test('reads decimals of every width exactly, dates as text, and 64-bit integers exactly', async () => {
    using folder = makeFolder();
    await writeParquet(
      folder,
      `SELECT 123456789.123456::DECIMAL(18, 6) AS wide, 0.29::DECIMAL(4, 2) AS narrow, 9007199254740993.000001::DECIMAL(38, 6) AS widest,
        -1.5::DECIMAL(9, 1) AS negative, DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 00:00:00' AS midnight, TIMESTAMP '2024-02-29 00:00:01' AS later,
        9007199254740993::BIGINT AS big, 7::UTINYINT AS small, ['x', NULL, ''] AS texts, [1, 2]::BIGINT[] AS ids, NULL::VARCHAR AS nothing, true AS yes`,
    );
    expect((await read(folder, 'a.parquet')).rows).toEqual([
      [
        1,
        123456789.123456,
        0.29,
        '9007199254740993.000001',
        -1.5,
        '2024-02-29',
        '2024-02-29T00:00:00',
        '2024-02-29T00:00:01',
        9007199254740993n,
        7,
        ['x', null, ''],
        [1n, 2n],
        null,
        true,
      ],
    ]);
  });
});
