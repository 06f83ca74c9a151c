import type { Catalogue } from './catalogue.ts';
import { EMPTY_QUESTION, type Question } from './question.ts';

interface StartingQuestion {
  readonly title: string;
  readonly about: string;
  readonly question: Question;
}

function start(title: string, about: string, question: Partial<Question>): StartingQuestion {
  return { title, about, question: { ...EMPTY_QUESTION, ...question } };
}

/** Ready-made questions. The first is what a new visitor sees. */
export const STARTING_QUESTIONS: readonly StartingQuestion[] = [
  start('Campaign overview', 'Cost, clicks and return of every campaign', {
    metrics: ['cost', 'halo_roas', 'impressions', 'clicks', 'click_through_rate', 'halo_revenue'],
    dimensions: ['campaign_name', 'campaign_id'],
    compare: 'previousPeriod',
  }),
  start('Trend by day', 'Cost and revenue day by day', {
    metrics: ['cost', 'halo_revenue', 'halo_roas'],
    dimensions: ['daily_date'],
    compare: 'previousPeriod',
  }),
  start('Keyword performance', 'Which keywords earn their cost, and which do not', {
    metrics: ['cost', 'halo_roas', 'clicks', 'cost_per_click', 'clicked_conversion_rate', 'halo_revenue'],
    dimensions: ['keyword'],
    filters: [{ field: 'keyword', operator: 'NOT_NULL', values: [] }],
    chart: 'scatter',
  }),
  start('Product halo', 'What the clicks on each product sold of it, and of other products', {
    metrics: ['direct_revenue', 'other_revenue', 'halo_revenue', 'direct_units', 'other_units'],
    dimensions: ['entity_name', 'entity_id'],
  }),
  start('Reach and frequency', 'How many people saw the ads of each campaign, and how often they were shown', {
    metrics: ['unique_user_impressions', 'frequency', 'impressions', 'unique_user_conversions', 'cost'],
    dimensions: ['campaign_name', 'campaign_id'],
  }),
  start('Viewability', 'Which placements are seen, and what that costs', {
    metrics: ['viewable_rate', 'measurable_rate', 'viewable_cost_per_thousand', 'viewable_impressions', 'impressions'],
    dimensions: ['placement'],
  }),
  start('New to brand', 'Which campaigns win shoppers who had not bought the brand', {
    metrics: [
      ...['new_to_brand_transactions', 'new_to_brand_rate', 'cost_per_new_to_brand_transaction'],
      ...['new_to_brand_revenue', 'new_to_brand_revenue_share', 'cost'],
    ],
    dimensions: ['campaign_name', 'campaign_id'],
  }),
  start('Keywords that cost and do not sell', 'Keywords with cost and without revenue, the most expensive first', {
    metrics: ['cost', 'halo_revenue', 'clicks', 'cost_per_click', 'impressions'],
    dimensions: ['keyword'],
    filters: [
      { field: 'keyword', operator: 'NOT_NULL', values: [] },
      { field: 'cost', operator: 'GREATER_THAN', values: ['0'] },
      { field: 'halo_revenue', operator: 'EQUALS', values: ['0'] }, // null where sales by keyword are unknown
    ],
  }),
  start('Hour of day', 'When ads are shown and clicked: hours against weekdays', {
    metrics: ['impressions', 'clicks', 'click_through_rate'],
    dimensions: ['hour', 'weekday'],
  }),
  start('Share of voice', 'Your part of all impressions, by placement', {
    metrics: ['share_of_voice', 'impressions'],
    dimensions: ['placement'],
  }),
  start('Pacing', 'Whether campaigns spend what was planned, the furthest behind first', {
    metrics: [
      ...['planned_cost', 'remaining_planned_cost', 'pacing', 'cost'],
      ...['campaign_budget', 'campaign_budget_type', 'campaign_status', 'campaign_end_date'],
    ],
    dimensions: ['campaign_name', 'campaign_id'],
    sort: [{ field: 'pacing', order: 'ASC' }],
  }),
];

/**
 * @returns the ready-made questions, without metrics that have no data in the experience
 * @param all also those whose first metric, which they are about, or dimensions have none
 */
export function offeredQuestions(catalogue: Catalogue, experience: string, all = false): readonly StartingQuestion[] {
  const hasData = (name: string) => {
    const field = catalogue.field(name);
    return field !== undefined && catalogue.hasData(experience, field);
  };
  return STARTING_QUESTIONS.flatMap((start) => {
    const { metrics, dimensions } = start.question;
    if (![...metrics.slice(0, 1), ...dimensions].every(hasData)) return all ? [start] : [];
    return [{ ...start, question: { ...start.question, metrics: metrics.filter(hasData) } }];
  });
}

/** @returns the question for a visitor without a link, in the first experience that has data */
export function firstQuestion(catalogue: Catalogue): Question {
  const experience = catalogue.choices.find((name) => catalogue.hasData(name)) ?? EMPTY_QUESTION.experience;
  return { ...EMPTY_QUESTION, ...offeredQuestions(catalogue, experience, true)[0]?.question, experience };
}
