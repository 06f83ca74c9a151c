import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { ndjson } from './support/folder.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';
import { type Files, useRejections } from './support/use-rejections.ts';

const { load } = useRejections();

async function expectProblems(files: Files, expected: readonly unknown[]): Promise<void> {
  const { outcome, problems } = await load(files);
  expect({ outcome, problems: problems.map(formatProblem) }).toEqual({ outcome: 'rejected', problems: expected });
}

const HEADER = 'hour,ad_group_id,impressions\n';
const PART = `${HEADER}9,1000,5\n`;

/** All rows are of 2026-02-27 and 2026-02-28. */
const LOADED = { outcome: 'loaded', warnings: [], problems: [] };

describe('folders that name columns', () => {
  test('give them to rows of CSV, NDJSON and Parquet, nested or not', async () => {
    using parquet = await parquetFolderOf({ 'facts/pla/delivery': [{ hour: 3, ad_group_id: 1000, impressions: 2 }] });
    const files = {
      'facts/pla/delivery/daily_date=2026-02-27/keyword=sea%20salt/part-0.csv': PART,
      'facts/pla/delivery/daily_date=2026-02-28/keyword=__HIVE_DEFAULT_PARTITION__/part-0.json': ndjson({
        hour: 1,
        ad_group_id: 1000,
      }),
      'facts/pla/delivery/DAILY_DATE=2026-02-28/part-1.parquet': readFileSync(
        join(parquet.path, 'facts/pla/delivery.parquet'),
      ),
      'facts/pla/delivery/daily_date=2026-02-28/part-2.csv': `daily_date,${HEADER}2026-02-28,9,1000,5\n`,
    };
    const warnings = [
      'facts/pla/delivery*: lacks keyword on 1 new day, unlike other facts: reports by it leave them out',
    ];
    expect(await load(files)).toMatchObject({ ...LOADED, warnings, facts: [{ rows: 4, days: 2 }] });
  });
});

/** A night of 57 partitions had 114 problems, of which 100 were shown. */
test('a wrong column is one problem of all files of its table, which names columns.json', async () => {
  const days = Array.from({ length: 57 }, (_, day) => `dt=${20260101 + day}`);
  const files = {
    ...Object.fromEntries(days.map((day) => [`facts/pla/delivery/${day}/part-0.csv`, PART])),
    ...Object.fromEntries(
      days.map((day) => [
        `facts/toa/activity/${day}/part-0.json`,
        '{"daily_date":"2026-02-27","hour":1,"ad_group_id":1000}',
      ]),
    ),
    'accounts/part-0.csv': 'id,title\n1,Acme\n',
    'accounts/part-1.csv': 'id,title\n2,Bolt\n',
  };
  const { problems, problemCount } = await load(files);
  const [first, account] = [`${days[0]}/part-0`, 'accounts/part-0.csv'];
  const columns = (list: string, table: string) =>
    `its columns are ${list}; columns.json can map it or ignore it, under "${table}"${table === 'accounts' ? '' : ', and endcap.fields.json declare it'}`;
  expect(problems.map(formatProblem).map((text) => text.replace(/are daily_date.*?;/, 'are …;'))).toEqual([
    `${account}:1: title is not a column of this file; ${columns('id, name, active', 'accounts')} (and 1 more file)`,
    `${account}:1: lacks the required column name (and 1 more file)`,
    `facts/pla/delivery/${first}.csv:1: lacks the required column daily_date (and 56 more files)`,
    `facts/pla/delivery/${first}.csv: dt is not a column of this file; ${columns('…', 'delivery')} (and 56 more files)`,
    `facts/toa/activity/${first}.json: dt is not a column of this file; ${columns('…', 'activity')} (and 56 more files)`,
  ]);
  expect(problemCount).toBe(5);
});

test('reads files by their first bytes if their names do not say what they are', async () => {
  using parquet = await parquetFolderOf({ 'facts/pla/delivery': [{ hour: 3, ad_group_id: 1000, impressions: 2 }] });
  const day = 'facts/pla/delivery/daily_date=2026-02-27';
  const files = {
    [`${day}/delivery_0000_part_00`]: PART,
    [`${day}/delivery_0001_part_00`]: gzipSync(PART.replace('9', '10')),
    [`${day}/0002_part_00.zst`]: zstdCompressSync(PART.replace('9', '11')),
    [`${day}/0003_part_00.gz`]: PART.replace('9', '12'),
    [`${day}/000000_0`]: zstdCompressSync(ndjson({ hour: 1, ad_group_id: 1000 })),
    [`${day}/part-0`]: readFileSync(join(parquet.path, 'facts/pla/delivery.parquet')),
    [`${day}/plain.csv`]: gzipSync(PART.replace('9', '13')),
    [`${day}/packed.parquet`]: gzipSync(readFileSync(join(parquet.path, 'facts/pla/delivery.parquet'))),
    'columns.json': '{"filesAddUp": true}',
  };
  const warnings = [expect.stringContaining('keyword (on 1 day)')]; // the day was loaded with keywords above
  expect(await load(files)).toMatchObject({ ...LOADED, facts: [{ rows: 8, days: 1 }], warnings });
});

test('reads a listing from the parts of a folder, and names the part in problems', async () => {
  const parts = {
    'placements/part-0.csv': 'id,name,experiences\n1,Top,pla\n',
    'placements/part-1.ndjson': ndjson({ id: 2, name: 'Side', experiences: ['toa'] }),
  };
  expect(await load(parts)).toMatchObject({ ...LOADED, listings: [{ listing: 'placements', rows: 2 }] });
  await expectProblems({ ...parts, 'placements/part-2.csv': 'id,name,experiences\n2,Twice,pla\n0,Bad,pla\n' }, [
    'placements/part-2.csv:2: id 2 is already in placements/part-1.ndjson:1',
    'placements/part-2.csv:3: id must be an integer ≥ 1, not "0"',
  ]);
});

test('rejects what is not read below facts, and truncated zstd', async () => {
  const packed = zstdCompressSync(PART.repeat(1000));
  await expectProblems(
    {
      'facts/notes.txt': 'x',
      'facts/pla/delivery/daily_date=2026-02-27/a.csv.zst': packed.subarray(0, packed.length - 4),
      'facts/pla/summary.xlsx': 'x',
    },
    [
      'facts/notes.txt: is not in a folder of an experience: pla, toa, carousel',
      'facts/pla/summary.xlsx: has an unsupported format; supported are .ndjson, .jsonl, .json, .csv, .parquet, each also with .gz or .zst',
      expect.stringMatching(/a\.csv\.zst: is truncated or damaged zstd/),
    ],
  );
});
