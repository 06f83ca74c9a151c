import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import type { ApiResponse, Target } from '../target.ts';
import type { TestData } from './suite.ts';

/** Nearly the longest period that a report accepts. */
const DAYS_BACK = 725;

/**
 * Reads the ids for the suites from the API, so that they run on any data.
 * @param today the last day on which the data may end
 * @throws an error that says what is missing if the key's user sees too little data
 */
export async function discoverTestData(
  target: Target,
  today = new Date().toISOString().slice(0, 10),
): Promise<TestData> {
  const accounts = await bodyOfSuccess(target.send({ path: '/metadata/accounts', as: 'agency' }));
  const accountId = Object(accounts.data)[0]?.id;
  if (accountId === undefined) throw new Error('the key’s user has no account: the suite needs a user with an account');
  const body = {
    startDate: formatDay(dayNumber(today) - DAYS_BACK),
    endDate: today,
    advertiserIds: [],
    dimensions: ['ad_group_id'],
    metrics: ['impressions'],
    filters: [],
    sort: [{ field: 'impressions', order: 'DESC' }],
    pagination: { offset: 0, size: 1 },
  };
  const report = await bodyOfSuccess(target.send({ path: '/report/pla', method: 'POST', as: 'agency', body }));
  const adGroupId = Object(report.data)[0]?.ad_group_id;
  if (adGroupId === undefined) {
    const where = `from ${body.startDate} to ${body.endDate}`;
    throw new Error(
      `the key’s user sees no delivery in pla ${where}: load some (facts/pla/delivery), or use another user’s key`,
    );
  }
  return { accountId: Number(accountId), adGroupId: Number(adGroupId) };
}

async function bodyOfSuccess(pending: Promise<ApiResponse>): Promise<Record<string, unknown>> {
  const { status, text } = await pending;
  if (status !== 200) throw new Error(`the service responded ${status}: ${text}`);
  return Object(JSON.parse(text));
}
