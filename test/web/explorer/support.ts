import { compatibilityRules } from '../../../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../../../shared/catalog/describe/describe-fields.ts';
import { Catalogue } from '../../../shared/web/explorer/question/catalogue.ts';

const fields = {
  data: {
    metrics: describedMetrics(),
    dimensions: describedDimensions(),
    operators: describedOperators(),
    rules: compatibilityRules(),
  },
};

/** The catalogue as the API sends it. @param fieldsWithoutData by experience that has data; {} = nothing was loaded */
export function catalogueOf(fieldsWithoutData: Readonly<Record<string, readonly string[]>>): Catalogue {
  const meta = { timezone: 'UTC', currency: 'USD', weekStartsOn: 'Monday', fieldsWithoutData, days: {} };
  return new Catalogue(JSON.parse(JSON.stringify({ ...fields, meta })));
}

export const CATALOGUE = catalogueOf({});
