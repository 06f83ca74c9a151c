import { compatibilityRules } from '../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../shared/catalog/describe/describe-fields.ts';
import { stated } from '../shared/catalog/methodology.ts';
import { fieldsWithoutData } from '../shared/catalog/rules.ts';
import { EXPERIENCES } from '../shared/catalog/tables.ts';
import { readReportSettings } from '../shared/contract/report/report-settings.ts';
import { listFieldsInput } from '../shared/contract/resources/field.ts';
import { type ApiHandler, endpoint } from '../shared/http/endpoint.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { readVisibleAdvertisers } from '../shared/identity/report-scope.ts';
import { todayIn } from '../shared/lib/calendar.ts';
import { type Clock, systemClock } from '../shared/lib/clock.ts';
import { CommitCache } from '../shared/store/commit/commit-cache.ts';
import { readColumnsWithData } from '../shared/store/facts/columns-with-data.ts';
import { findDays, type PlatformDays, readPlatformDays } from '../shared/store/facts/platform-days.ts';
import { AdvertiserCache } from '../shared/store/listings/account-advertisers.ts';

/** GET /metadata/fields: the catalogue of metrics, dimensions, filter operators and compatibility rules, and which of it the caller's advertisers have no data of. */
export function create(platform: Platform, clock: Clock = systemClock): ApiHandler {
  const { timezone, currency, weekStartsOn, methodology } = readReportSettings().pla;
  const data = JSON.stringify({
    metrics: describedMetrics(),
    dimensions: describedDimensions(),
    operators: describedOperators(),
    rules: compatibilityRules(),
  });
  const methods =
    methodology && Object.fromEntries(EXPERIENCES.map((name) => [name, (methodology[name] ?? []).map(stated)]));
  const advertisers = new AdvertiserCache();
  const daysCache = new CommitCache<PlatformDays>({ of: ['facts', 'dimensions'] });
  return endpoint(platform, {
    scope: 'metadata',
    input: listFieldsInput,
    handle: async ({ table, caller }) => {
      const state = await platform.commits.recent(table);
      const advertiserIds = await readVisibleAdvertisers(table, state, caller, advertisers);
      // without the meter, because the sizes of the items depend on what others have
      const [withData, [platformDays]] = await Promise.all([
        readColumnsWithData(platform.table, advertiserIds, state),
        daysCache.read(state, ['all'], String, async () => [await readPlatformDays(platform.table, state)]),
      ]);
      const loaded = EXPERIENCES.filter((name) => [...withData].some((column) => column.startsWith(name)));
      const withoutData = Object.fromEntries(loaded.map((name) => [name, fieldsWithoutData(withData, name)]));
      // only where the caller's advertisers have data: elsewhere, the days are those of others
      const today = todayIn(timezone, new Date(clock()));
      const days = loaded.map((name) => [name, platformDays && findDays(platformDays, name, advertiserIds, today)]);
      const meta = {
        timezone,
        currency,
        weekStartsOn,
        fieldsWithoutData: withoutData,
        days: Object.fromEntries(days),
        ...(methods && { methodology: methods }),
      };
      return { body: `{"data":${data},"meta":${JSON.stringify(meta)}}` };
    },
  });
}

export const handler = /* @__PURE__ */ create(/* @__PURE__ */ openPlatform());
