import { compatibilityRules } from '../../../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../../../shared/catalog/describe/describe-fields.ts';
import { Catalogue } from '../../../shared/web/explorer/question/catalogue.ts';

/** The catalogue as the API describes it. */
export const CATALOGUE = new Catalogue({
  metrics: describedMetrics(),
  dimensions: describedDimensions(),
  operators: describedOperators(),
  rules: compatibilityRules(),
  settings: { timezone: 'UTC', currency: 'USD', weekStartsOn: 'Monday' },
});
