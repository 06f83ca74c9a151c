import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bucketSource } from '../../../shared/ingest/bucket-source.ts';
import { checkCopies } from '../../../shared/load/check/check-copies.ts';
import { Problems } from '../../../shared/load/schema/problems.ts';
import { classifyFiles } from '../../../shared/load/source/find-files.ts';
import { deliveryCsv, ndjson, REQUIRED_KEYS } from '../support/fact-lines.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load, expectProblems } = useRejections();

const LINE = '2026-03-01,0,1000,,,,,,1,0,0,u1';
const CSV = deliveryCsv(LINE);

/** Their rows were added, so that all figures doubled. */
describe('fact files of a table with the same bytes', () => {
  test('are rejected, whatever their names, formats and number', async () => {
    const [line, gzipped] = [ndjson({ ...REQUIRED_KEYS, clicks: 1 }), gzipSync(CSV)];
    const files = {
      'facts/pla/delivery (1).csv': CSV,
      'facts/pla/delivery (2).csv': CSV,
      'facts/pla/delivery.csv': CSV,
      'facts/toa/delivery-1.csv.gz': gzipped,
      'facts/toa/delivery-2.csv.gz': gzipped,
      'facts/toa/delivery-a.ndjson': line,
      'facts/toa/delivery-b.jsonl': line,
    };
    const why = 'its rows would be counted twice; if both are meant, join them into one file';
    await expectProblems(files, [
      `facts/pla/delivery (2).csv: is a copy of facts/pla/delivery (1).csv: ${why}`,
      `facts/pla/delivery.csv: is a copy of facts/pla/delivery (1).csv: ${why}`,
      `facts/toa/delivery-2.csv.gz: is a copy of facts/toa/delivery-1.csv.gz: ${why}`,
      `facts/toa/delivery-b.jsonl: is a copy of facts/toa/delivery-a.ndjson: ${why}`,
    ]);
  });

  test('are loaded if they have no rows, or belong to other tables or experiences; so are others of the same size', async () => {
    const keys = ndjson(REQUIRED_KEYS);
    const market = ndjson({ daily_date: '2026-03-01', hour: 0, impressions: 1 });
    const files = {
      'facts/pla/delivery-1.csv': CSV,
      'facts/pla/delivery-2.csv': deliveryCsv(LINE.replace('u1', 'u2')), // of the same size
      'facts/toa/delivery-1.csv': CSV,
      'facts/pla/conversions-1.csv': 'daily_date,hour,ad_group_id\n',
      'facts/pla/conversions-2.csv': 'daily_date,hour,ad_group_id\n',
      'facts/pla/conversions-3.ndjson': keys,
      'facts/pla/delivery-3.ndjson': keys,
      'facts/pla/market.ndjson': market,
      'facts/toa/market.ndjson': market,
    };
    expect(await load(files)).toMatchObject({ outcome: 'loaded', problems: [] });
  });
});

test('the ingestion has verified the SHA-256 of all files, so none is read again', async () => {
  const objects = ['1', '2', '3'].map((name) => {
    const key = `facts/pla/delivery-${name}.csv`;
    return [key, { key, bytes: 5, etag: '', sha256: name === '3' ? 'b' : 'a' }] as const;
  });
  const fail = () => {
    throw new Error('an object is read');
  };
  const source = bucketSource({} as never, new Map(objects), fail, fail);
  const problems = new Problems(10);
  const { facts } = classifyFiles(await source.list(), problems);
  await checkCopies({ source, problems, signal: new AbortController().signal }, facts, []);
  expect(problems.list().map(({ file }) => file)).toEqual(['facts/pla/delivery-2.csv']);
});
