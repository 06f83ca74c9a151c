import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { TABLE_FORMAT } from '../../../shared/store/commit/commit-state.ts';
import type { Item } from '../../../shared/store/table/item.ts';
import { reportRequest } from '../../http/support/gateway-event.ts';
import { openStored, readTable, send } from '../../store/stored-table.ts';
import { printFigures, scaled } from '../support/budget.ts';

/** Bytes of an item that are flipped at most, evenly spread. */
const FLIPS = scaled(60);

/** @returns the members of the item, or of its members, that are bytes */
function bytesIn(value: unknown): Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(bytesIn) : [];
}

/** Items that no request here reads: those of loads and of the collection of garbage, and shards, which are written and read as the rollups of advertisers. */
const UNREAD = /^(GARBAGE|SHARD|COLLECTION#(advertisers-by-day|files|ad-groups|users))/;

/** @returns the kind of item: for facts, rollups and tables the number of parts of its partition key, and the pack */
function kindOf({ pk }: Item): string {
  const [kind, ...parts] = pk.split('#');
  const last = parts.at(-1) ?? '';
  return `${kind} ${parts.length} ${last.startsWith('*') ? last : ''}`;
}

const report = (metrics: readonly string[], dimensions: readonly string[], experience_name: string) => {
  const body = {
    ...{
      startDate: '2026-01-01',
      endDate: '2026-03-31',
      advertiserIds: [],
      filters: [],
      sort: [],
      metrics,
      dimensions,
    },
    pagination: { offset: 0, size: 100 },
  };
  const { key: _, ...request } = reportRequest(JSON.stringify(body));
  return { name: 'submit-report', request: { ...request, pathParameters: { experience_name } } };
};

/** Requests that read what those of the stored table do not. */
const REQUESTS = [
  report(['cost', 'halo_revenue', 'unique_user_conversions'], ['keyword', 'entity_name'], 'all'),
  report(['measurable_impressions'], ['search_term', 'hour'], 'pla'),
  report(['unique_user_impressions', 'hours_live'], ['ad_group_name', 'daily_date'], 'pla'),
  { name: 'list-fields', request: {} },
  { name: 'list-changes', request: { query: [['since', '2020-01-01T00:00:00Z'] as const] } },
];

/** Frames and packs have no checksum of their own: those of chunks and zstd, and the hashes of tables in heads, must cover every byte. */
test('a flipped byte of a stored item is an error or changes nothing, and never another figure', async () => {
  const { items, exchanges } = readTable(`format-${TABLE_FORMAT}.json.gz`);
  const service = await openStored(items);
  const figures = { kinds: 0, flips: 0, errors: 0, harmless: 0 };
  const requests = [...exchanges, ...REQUESTS].map(({ name, request }) => ({ name, request }));
  const expected: object[] = [];
  for (const { name, request } of requests) expected.push(await send(service, name, request));
  expect(expected.map((response) => Object(response).status)).toEqual(requests.map(() => 200));
  const unread: string[] = [];
  const kinds = Map.groupBy(
    items.filter((item) => !UNREAD.test(item.pk) && bytesIn(item).length > 0),
    kindOf,
  );
  for (const [kind, members] of kinds) {
    let isRead = false;
    for (const item of members) {
      const changed = structuredClone(item);
      const flip = async (bytes: Uint8Array, at: number, bits: number) => {
        bytes[at] = (bytes[at] ?? 0) ^ bits;
        await service.table.putMany([changed]);
      };
      const last = bytesIn(changed).at(-1) ?? new Uint8Array(0); // of the newest version
      const middle = Math.floor(last.length / 2);
      await flip(last, middle, 0xff);
      let reader = -1;
      for (let at = 0; at < requests.length && reader < 0; at++) {
        const { name, request } = requests[at] as (typeof requests)[number];
        if (!isDeepStrictEqual(await send(service, name, request), expected[at])) reader = at;
      }
      await flip(last, middle, 0xff);
      if (reader < 0) continue; // an older version, or a column or month that no request reads
      isRead = true;
      figures.kinds += 1;
      const { name, request } = requests[reader] as (typeof requests)[number];
      const step = Math.max(1, Math.floor(last.length / FLIPS));
      for (let at = 0; at < last.length; at += step) {
        await flip(last, at, 1 << (at % 8));
        const found = await send(service, name, request);
        await flip(last, at, 1 << (at % 8));
        figures.flips += 1;
        const isError = Object(found).status === 500;
        figures[isError ? 'errors' : 'harmless'] += 1;
        if (!isError) expect([kind, at, found]).toEqual([kind, at, expected[reader]]);
      }
      break;
    }
    if (!isRead) unread.push(kind);
  }
  await service.close();
  printFigures('flipped bytes', figures);
  expect(unread).toEqual([]);
  expect(figures.errors).toBeGreaterThan(0.9 * figures.flips);
});
