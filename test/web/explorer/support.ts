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
  meta: { timezone: 'UTC', currency: 'USD', weekStartsOn: 'Monday' },
};

/** The catalogue as the API sends it. */
export const CATALOGUE = new Catalogue(JSON.parse(JSON.stringify(fields)));
