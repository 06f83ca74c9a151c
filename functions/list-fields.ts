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
import { readColumnsWithData } from '../shared/store/facts/columns-with-data.ts';
import { AdvertiserCache } from '../shared/store/listings/account-advertisers.ts';

/** GET /metadata/fields: the catalogue of metrics, dimensions, filter operators and compatibility rules, and which of it the caller's advertisers have no data of. */
export function create(platform: Platform): ApiHandler {
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
  return endpoint(platform, {
    scope: 'metadata',
    input: listFieldsInput,
    handle: async ({ table, caller }) => {
      const state = await platform.commits.recent(table);
      const advertiserIds = await readVisibleAdvertisers(table, state, caller, advertisers);
      // without the meter, because the item's size depends on what others have
      const withData = await readColumnsWithData(platform.table, advertiserIds, state);
      const loaded = EXPERIENCES.filter((name) => [...withData].some((column) => column.startsWith(name)));
      const withoutData = Object.fromEntries(loaded.map((name) => [name, fieldsWithoutData(withData, name)]));
      const meta = {
        timezone,
        currency,
        weekStartsOn,
        fieldsWithoutData: withoutData,
        ...(methods && { methodology: methods }),
      };
      return { body: `{"data":${data},"meta":${JSON.stringify(meta)}}` };
    },
  });
}

export const handler = create(openPlatform());
