import { compatibilityRules } from '../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../shared/catalog/describe/describe-fields.ts';
import { readReportSettings } from '../shared/contract/report/report-settings.ts';
import { listFieldsInput } from '../shared/contract/resources/field.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { openPlatform } from '../shared/identity/platform.ts';

const platform = openPlatform();
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

/** GET /metadata/fields: the catalogue of metrics, dimensions, filter operators and compatibility rules; it is the same for all callers. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listFieldsInput,
  handle: async () => ({ body }),
});
