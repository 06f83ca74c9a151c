import { expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-source.ts';
import { KEY_COLUMNS } from '../../../shared/catalog/tables.ts';
import { type CodedKeys, decodeKeys, encodeCodedKeys, expandCodes } from '../../../shared/columns/keys.ts';
import type { ReportQuery } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { randomDataset } from '../../oracle/random/random-facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const data = randomDataset(randomFrom(78), { rows: 2_000, users: 300, usersPerRow: 4 });
const advertiserIds = data.tables.advertisers.map((advertiser) => Number(advertiser.id)).toSorted((a, b) => a - b);

/** @returns the same source, but `reorder` is applied to the keys of each column and day */
function withDictionaries(source: SegmentSource, reorder: (keys: CodedKeys, day: number) => CodedKeys): SegmentSource {
  const names: ReadonlySet<string> = new Set(KEY_COLUMNS);
  return {
    ...source,
    async *days(reads) {
      for await (const { ref, entry, columns: stored } of source.days(reads)) {
        const reordered = [...stored].map(([name, bytes]) => {
          if (!names.has(name)) return [name, bytes] as const;
          const keys = decodeKeys(bytes, name);
          const { dictionary } = keys;
          return [name, encodeCodedKeys(reorder({ dictionary, codes: expandCodes(keys) }, entry.day))] as const;
        });
        yield { ref, entry, columns: new Map(reordered) };
      }
    },
  };
}

/** @returns the keys with texts in the order of UTF-16 code units, as older versions wrote dictionaries */
function byCodeUnit({ dictionary, codes }: CodedKeys): CodedKeys {
  const texts = dictionary.filter((value) => typeof value === 'string').toSorted();
  const sorted = [...dictionary.filter((value) => typeof value !== 'string'), ...texts];
  const places = dictionary.map((value) => sorted.indexOf(value));
  return { dictionary: sorted, codes: Uint32Array.from(codes, (code) => places[code] ?? 0) };
}

test('segments with dictionaries in the order of older versions give the same reports, also together with newer segments', async () => {
  const source = memorySource(data);
  let reordered = 0;
  const reorder = (keys: CodedKeys) => {
    const old = byCodeUnit(keys);
    if (old.dictionary.some((value, at) => value !== keys.dictionary[at])) reordered++;
    return old;
  };
  const all = withDictionaries(source, reorder);
  const everyOther = withDictionaries(source, (keys, day) => (day % 2 === 0 ? reorder(keys) : keys));
  for (const dimension of DIMENSION_NAMES) {
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: '2024-12-01', endDate: '2025-04-30', metrics: ['clicks', 'halo_units'] },
      ...{ dimensions: [dimension, 'keyword'], filters: [], sort: [], pagination: { offset: 0, size: 1_000 } },
    };
    const scope = { accountIds: new Set([1, 2, 3]), advertiserIds, ownAdvertiserIds: advertiserIds };
    const [expected, old, mixed] = await Promise.all(
      [source, all, everyOther].map((tested) => runReport({ query, scope, settings: SETTINGS, source: tested })),
    );
    expect(old?.data).toEqual(expected?.data);
    expect(mixed?.data).toEqual(expected?.data);
    expect(mixed?.totals).toEqual(expected?.totals);
  }
  expect(reordered).toBeGreaterThan(100);
});
