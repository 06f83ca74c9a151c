import type { AttributeMetric, FieldType, RatioMetric, RatioTerm, SumMetric, Unit } from './definitions.ts';
import { type Measure, SIGNED_MEASURES } from './tables.ts';

/** @returns a metric that counts something: the sum of the measure, an integer */
export function count(measure: Measure, title: string, description: string): SumMetric & { readonly type: 'integer' } {
  return { kind: 'sum', measure, title, description: withSign(measure, description), type: 'integer', unit: 'count' };
}

/** @returns a metric that is an amount of money: the sum of the measure, in currency units */
export function money(measure: Measure, title: string, description: string): SumMetric & { readonly type: 'decimal' } {
  return {
    kind: 'sum',
    measure,
    title,
    description: withSign(measure, description),
    type: 'decimal',
    unit: 'currency',
  };
}

function withSign(measure: Measure, description: string): string {
  if (!SIGNED_MEASURES.has(measure)) return description;
  return `${description} May be negative: ${measure === 'cost' ? 'credits and corrections' : 'returns'} are included.`;
}

/** @returns a metric that is `factor` × numerator / denominator */
export function ratio(
  numerator: RatioTerm,
  denominator: RatioTerm,
  unit: Unit,
  title: string,
  description: string,
  factor = 1,
): RatioMetric & { readonly type: 'decimal' } {
  return { kind: 'ratio', numerator, denominator, factor, title, description, type: 'decimal', unit };
}

const ATTRIBUTE_TYPES = {
  budget: 'decimal',
  budgetType: 'text',
  startDate: 'date',
  endDate: 'date',
  status: 'text',
} as const satisfies Readonly<Record<AttributeMetric['column'], FieldType>>;

/** @returns a metric that is a column of an ad group or campaign */
export function attribute<Column extends AttributeMetric['column']>(
  entity: AttributeMetric['entity'],
  column: Column,
  title: string,
  description: string,
): AttributeMetric & { readonly type: (typeof ATTRIBUTE_TYPES)[Column] } {
  const name = entity === 'ad_group' ? 'ad group' : 'campaign';
  return {
    kind: 'attribute',
    entity,
    column,
    title,
    description: `${description} Null unless all facts of the row belong to one ${name}.`,
    type: ATTRIBUTE_TYPES[column],
    unit: column === 'budget' ? 'currency' : null,
  };
}
