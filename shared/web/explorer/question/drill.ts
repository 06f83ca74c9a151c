import type { Catalogue, Field } from './catalogue.ts';
import type { Row } from './compare-rows.ts';
import { idOf } from './namesakes.ts';
import type { Question } from './question.ts';

/** From the whole to its parts: what a report is by already, and what is above it, has one value in each row. */
const LEVELS = ['advertiser_name', 'campaign_name', 'ad_group_name'];
/** What the rows of any level are broken down by. */
const BREAKDOWNS = [
  ...['daily_date', 'placement', 'keyword', 'search_term', 'entity_name', 'purchased_entity_name'],
  ...['creative_name', 'hour', 'weekday', 'experience_name'],
];

/** @returns the dimensions by which a row can be broken down: the next finer level first */
export function breakdownsOf({ experience, dimensions }: Question, catalogue: Catalogue): readonly Field[] {
  const present = (name: string) => dimensions.includes(name) || dimensions.includes(idOf(name) ?? '');
  const finest = LEVELS.findLastIndex(present);
  return [...LEVELS.slice(finest + 1), ...BREAKDOWNS].flatMap((name) => {
    const field = catalogue.dimension(name);
    const isOffered = field !== undefined && !present(name) && catalogue.hasData(experience, field);
    return isOffered && (name !== 'experience_name' || experience === 'all') ? [field] : [];
  });
}

/**
 * @returns the question about what is in the row alone, by another dimension; its names have their ids. Without filters of metrics, which would select among
 * the parts of the row, and for a row of days or weeks without the compared period, which has none of them
 */
export function breakDown(question: Question, row: Row, dimension: string, catalogue: Catalogue): Question {
  const { dimensions, filters } = question;
  const ofRow = dimensions.map((field) => {
    const value = row[field];
    const isNull = value === null || value === undefined;
    return { field, operator: isNull ? 'IS_NULL' : 'EQUALS', values: isNull ? [] : [String(value)] };
  });
  const others = filters.filter(
    ({ field }) => !dimensions.includes(field) && catalogue.metric(field)?.filters !== 'rows',
  );
  const isDated = dimensions.some((name) => catalogue.dimension(name)?.type === 'date');
  const compare = isDated ? undefined : question.compare;
  const by = [dimension, ...(dimension.startsWith('purchased') ? [] : [idOf(dimension) ?? []].flat())];
  return { ...question, dimensions: by, filters: [...others, ...ofRow], compare, sort: [], chart: 'auto' };
}
