import { compatibilityRules } from '../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../shared/catalog/describe/describe-fields.ts';
import { listFieldsInput } from '../shared/contract/resources/field.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { readEnv } from '../shared/lib/env.ts';

const platform = openPlatform();
const { TIME_ZONE: timezone, CURRENCY: currency } = readEnv(['TIME_ZONE', 'CURRENCY']);
const body = JSON.stringify({
  data: {
    metrics: describedMetrics(),
    dimensions: describedDimensions(),
    operators: describedOperators(),
    rules: compatibilityRules(),
  },
  meta: { timezone, currency },
});

/** GET /metadata/fields: the catalogue of metrics, dimensions, filter operators and compatibility rules; it is the same for all callers. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listFieldsInput,
  handle: async () => ({ body }),
});
