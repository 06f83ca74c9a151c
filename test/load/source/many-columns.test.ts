import { describe, expect, test } from 'vitest';
import { SectionCoder } from '../../../shared/load/code/code-section.ts';
import { Problems } from '../../../shared/load/schema/problems.ts';
import { readHeader } from '../../../shared/load/source/read-csv.ts';
import { readNdjson } from '../../../shared/load/source/read-ndjson.ts';
import { FileSink } from '../../../shared/load/source/row-batch.ts';
import { userIdKey } from '../../support/user-id-key.ts';

/** So many that a comparison of each name with all others would take hours. */
const NAMES = 1_000_000;

const nameOf = (i: number) => `c${i.toString(36)}`;
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

function openSink() {
  const problems = new Problems(5_000);
  return {
    problems,
    sink: new FileSink('accounts', [{ name: 'id', about: '', type: { kind: 'boolean' }, required: true }], problems),
  };
}

test('a CSV header of a million columns is rejected', () => {
  const { sink } = openSink();
  const header = `${Array.from({ length: NAMES }, (_, i) => nameOf(i)).join(',')}\n`;
  expect(() => readHeader({ bytes: bytesOf(header), line: 1 }, sink)).toThrow('has more than 1000 columns');
});

test('NDJSON rows that each name another column are read no further than the limit of columns', () => {
  const { sink, problems } = openSink();
  const rows = Array.from({ length: 3_000 }, (_, i) => `{"${nameOf(i)}":1}`).join('\n');
  expect(() => readNdjson({ bytes: bytesOf(`${rows}\nnot JSON\n`), line: 1 }, sink)).toThrow(
    'has more than 1000 columns',
  );
  expect(problems.list().filter(({ line }) => line !== null && line > 1_001)).toEqual([]);
});

/** A problem quotes the name: 0.6 MB of gzip made a report that could not be written. */
test.each([
  ['CSV', (name: string) => readHeader({ bytes: bytesOf(`id,${name}\n`), line: 1 }, openSink().sink)],
  ['NDJSON', (name: string) => readNdjson({ bytes: bytesOf(`{"${name}":1}\n`), line: 1 }, openSink().sink)],
])('a %s file whose column has a name of more than 200 characters is rejected', (_, read) => {
  expect(() => read('x'.repeat(200))).not.toThrow();
  expect(() => read('x'.repeat(201))).toThrow('has a column whose name has 201 characters');
  expect(() => read('x'.repeat(2_001))).toThrow('has a column whose name has 2,001 characters');
});

test('an NDJSON column is reported with the first line that has it', () => {
  const { sink, problems } = openSink();
  readNdjson({ bytes: bytesOf('{}\n{"id":1}\n{"name":1,"id":2}\n{"name":2}\n'), line: 7 }, sink);
  expect(problems.list()).toMatchObject([{ line: 9, field: 'name' }]);
});

/** Each column took the memory of all rows before it: 855 kB of NDJSON took 1.4 GB, and 1.8 MB of gzip would have taken 10 GB. */
describe('after many rows, a row that names columns that are not read', () => {
  const rows = (count: number) => `${'{}\n'.repeat(200_000)}${JSON.stringify(Object.fromEntries(namesOf(count)))}\n`;
  const namesOf = (count: number) => Array.from({ length: count }, (_, i) => [nameOf(i), 1]);
  const heapOf = (work: () => unknown) => {
    const before = process.memoryUsage().heapUsed;
    const result = work();
    return { result, bytes: process.memoryUsage().heapUsed - before };
  };

  test('takes no memory for them', () => {
    const { sink } = openSink();
    const { bytes } = heapOf(() => readNdjson({ bytes: bytesOf(rows(999)), line: 1 }, sink));
    expect(bytes).toBeLessThan(200_000_000); // 2.4 GB before
  });

  test('is rejected with its line in a fact file, too, if there are more than 1,000', async () => {
    const coder = new SectionCoder({ timeZone: 'UTC', userIdKey, ids: new Map(), owners: new Map() } as never, 10);
    const file = { experience: 'pla', table: 'delivery', splitLists: false } as const;
    const block = { bytes: bytesOf(rows(1_001)), line: 1 };
    const coded = await coder.code(file, { format: 'ndjson', block });
    expect(coded.unreadable).toEqual({ line: 200_001, reason: 'has more than 1000 columns' });
    expect(coded.columns).toHaveLength(1_000);
  });
});
