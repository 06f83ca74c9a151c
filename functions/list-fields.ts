import { compatibilityRules } from '../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../shared/catalog/describe/describe-fields.ts';
import { readReportSettings } from '../shared/contract/report/report-settings.ts';
import { listFieldsInput } from '../shared/contract/resources/field.ts';
import { type ApiHandler, endpoint } from '../shared/http/endpoint.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';

/** GET /metadata/fields: the catalogue of metrics, dimensions, filter operators and compatibility rules; it is the same for all callers. */
export function create(platform: Platform): ApiHandler {
  const { timezone, currency, weekStartsOn } = readReportSettings().pla;
  const body = JSON.stringify({
    data: {
      metrics: describedMetrics(),
      dimensions: describedDimensions(),
      operators: describedOperators(),
      rules: compatibilityRules(),
    },
    meta: { timezone, currency, weekStartsOn },
  });
  return endpoint(platform, {
    scope: 'metadata',
    input: listFieldsInput,
    handle: async () => ({ body }),
  });
}

export const handler = create(openPlatform());
