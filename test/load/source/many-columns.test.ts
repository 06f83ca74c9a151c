import { expect, test } from 'vitest';
import { Problems } from '../../../shared/load/schema/problems.ts';
import { readHeader } from '../../../shared/load/source/read-csv.ts';
import { readNdjson } from '../../../shared/load/source/read-ndjson.ts';
import { FileSink } from '../../../shared/load/source/row-batch.ts';

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

test('an NDJSON column is reported with the first line that has it', () => {
  const { sink, problems } = openSink();
  readNdjson({ bytes: bytesOf('{}\n{"id":1}\n{"name":1,"id":2}\n{"name":2}\n'), line: 7 }, sink);
  expect(problems.list()).toMatchObject([{ line: 9, field: 'name' }]);
});
