import { createHash } from 'node:crypto';
import { formatToken, listChanges, parseSince } from '../shared/contract/resources/change.ts';
import { type ApiHandler, endpoint } from '../shared/http/endpoint.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { readVisibleAdvertisers } from '../shared/identity/report-scope.ts';
import { PLATFORM_ID } from '../shared/layout/partitions.ts';
import { ApiError } from '../shared/lib/errors.ts';
import { LOGGED_LISTINGS } from '../shared/store/changes/change-log.ts';
import { listChangedRanges, readChangeLogs, readLastChanges } from '../shared/store/changes/changes.ts';
import { AdvertiserCache } from '../shared/store/listings/account-advertisers.ts';

/** GET /metadata/changes: the days of facts, and the listings, that loads have changed for the caller's advertisers. */
export function create(platform: Platform): ApiHandler {
  const advertisers = new AdvertiserCache();
  return endpoint(platform, {
    scope: 'metadata',
    input: listChanges.input,
    handle: async ({ table, caller, input }) => {
      const { since: text, size } = input.query;
      const state = await platform.commits.recent(table);
      // without the meter: what is cached, and the size of the item, depend on what was loaded of others
      const advertiserIds = await readVisibleAdvertisers(platform.table, state, caller, advertisers);
      const last = await readLastChanges(platform.table, state);
      const visible = [PLATFORM_ID, ...advertiserIds];
      const network = networkOf(table.name, state.identity);
      const newest = Math.max(0, ...visible.map((id) => last.get(id) ?? 0));
      const since = text === undefined ? { at: newest } : (parseSince(text) ?? { at: newest });
      const until = since.until ?? newest;
      const from = since.place === undefined ? since.at + 1 : since.at;
      const changed = visible.filter((id) => (last.get(id) ?? 0) >= from);
      const isForeign = (since.network ?? network) !== network;
      const logs = text === undefined || isForeign ? new Map() : await readChangeLogs(table, changed, state);
      const dropped = Math.max(0, ...[...logs.values()].map((log) => log.dropped));
      if (isForeign || (dropped > 0 && dropped >= from)) throw gone(formatToken({ network, at: newest }));
      const ranges = listChangedRanges(logs, { ...since, until });
      const page = ranges.slice(0, size);
      const { at = until, place } = ranges.length > page.length ? (page.at(-1) ?? {}) : {};
      const listings = (since.place === undefined ? LOGGED_LISTINGS : []).flatMap((name) => {
        const changedAt = Math.max(0, ...[...logs.values()].map((log) => log.listings[name] ?? 0));
        return changedAt > since.at && changedAt <= until ? [{ name, changedAt: formatTime(changedAt) }] : [];
      });
      const data = page.map(({ advertiserId, table: name, from, to, at, kind }) => {
        const [experience, table] = name.split('/');
        return { advertiserId, experience, table, from, to, changedAt: formatTime(at), kind };
      });
      const next = formatToken({ network, at, until, place });
      const meta = { next, advertiserIds, page: { size, hasMore: place !== undefined } };
      return { body: { data, listings, meta } };
    },
  });
}

export const handler = create(openPlatform());

/** @returns a text that differs between tables, a restored one among them, whose loads have other times */
const networkOf = (tableName: string, identity = ''): string =>
  createHash('sha256').update(`${tableName} ${identity}`).digest('base64url').slice(0, 8);

const formatTime = (at: number): string => new Date(at).toISOString();

function gone(token: string): ApiError {
  const detail = `Changes since then are not known any more. Copy everything, then go on with since=${token}, which is of now.`;
  const fields = [{ in: 'query', pointer: 'since', code: 'OUT_OF_RANGE', detail } as const];
  return new ApiError('CHANGES_GONE', detail, { fields });
}
