import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { deliveryCsv, ndjson } from '../support/fact-lines.ts';
import { type Files, useRejections } from '../support/use-rejections.ts';

const { load } = useRejections();

async function expectProblems(files: Files, expected: readonly unknown[]): Promise<void> {
  const { outcome, problems } = await load(files);
  expect({ outcome, problems: problems.map(formatProblem) }).toEqual({ outcome: 'rejected', problems: expected });
}

const LINE = '2026-03-01,0,1000,,,,,,1,0,0.25,u1';
const CSV = deliveryCsv(LINE);
const row = { daily_date: '2026-03-01', hour: 0, ad_group_id: 1000, impressions: 3 };
const ADVICE =
  'they would be counted twice; remove one of the files or, if both are meant, write {"filesAddUp": true} into columns.json';

/** Their rows were added, so that all figures doubled. */
describe('rows with equal keys in different fact files of a table', () => {
  test('are rejected if they are more than half of a file, whatever its name, format and compression', async () => {
    const part = ndjson({ ...row, clicks: 2, cost: 1.5 });
    await expectProblems({ 'facts/pla/delivery.csv': CSV, 'facts/pla/delivery.csv.gz': gzipSync(CSV) }, [
      `facts/pla/delivery.csv.gz: repeats another file: 1 of 1 rows have the keys of rows in facts/pla/delivery.csv (impressions 1, cost 0.25): ${ADVICE}`,
    ]);
    const whole = ndjson(row, { ...row, hour: 1 }, { ...row, hour: 2 });
    await expectProblems({ 'facts/toa/delivery-old.ndjson': part, 'facts/toa/delivery.ndjson': whole }, [
      `facts/toa/delivery-old.ndjson: repeats another file: 1 of 1 rows have the keys of rows in facts/toa/delivery.ndjson (impressions 3, clicks 2, cost 1.5): ${ADVICE}`,
    ]);
  });

  test('are a warning with their sums if they are fewer, of a table in several sections as well', async () => {
    const hours = [0, 1, 2, 3].map((hour) => ({ ...row, hour }));
    const files = {
      'facts/pla/delivery-1.ndjson': ndjson(...hours),
      'facts/pla/delivery-2.ndjson': ndjson(...hours.map(({ hour }) => ({ ...row, hour: hour + 2, clicks: 1 }))),
    };
    expect(await load(files)).toMatchObject({
      outcome: 'loaded',
      warnings: [
        'facts/pla/delivery-2.ndjson: 2 of 4 rows have the keys of rows in facts/pla/delivery-1.ndjson (impressions 6, clicks 2); both are counted',
      ],
    });
  });

  test('are added if the folder says so, or the files belong to other tables or experiences', async () => {
    const files = {
      'columns.json': '{"filesAddUp": true}',
      'facts/pla/delivery-1.csv': CSV,
      'facts/pla/delivery-2.csv': deliveryCsv(LINE.replace('u1', 'u2')),
    };
    const added = await load(files);
    expect(added).toMatchObject({ outcome: 'loaded', facts: [{ rows: 2, days: 1 }] });
    expect(added.warnings.filter((warning) => warning.includes('have the keys'))).toEqual([]);
    const market = ndjson({ daily_date: '2026-03-01', hour: 0, impressions: 1 });
    const others = {
      'facts/pla/market.ndjson': market,
      'facts/toa/market.ndjson': market,
      'facts/toa/delivery.csv': CSV,
    };
    const { outcome, problems } = await load(others);
    expect({ outcome, problems: problems.map(formatProblem) }).toEqual({ outcome: 'loaded', problems: [] });
  });
});
