import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import type { Reply, Target } from '../target.ts';
import type { World } from './suite.ts';

/** Far back, and still a period that a report takes. */
const DAYS_BACK = 725;

/**
 * Finds out what the suite asks about: nothing of the data needs to be known beforehand.
 * @throws Error that says what is lacking where the key's user sees too little to ask about
 */
export async function discoverWorld(target: Target): Promise<World> {
  const accounts = await answered(target.send({ path: '/metadata/accounts', as: 'agency' }));
  const accountId = Object(accounts.data)[0]?.id;
  if (accountId === undefined) throw new Error('the key’s user has no account: the suite needs a user with one');
  const today = dayNumber(new Date().toISOString().slice(0, 10));
  const body = {
    startDate: formatDay(today - DAYS_BACK),
    endDate: formatDay(today),
    advertiserIds: [],
    dimensions: ['ad_group_id'],
    metrics: ['impressions'],
    filters: [],
    sort: [{ field: 'impressions', order: 'DESC' }],
    pagination: { offset: 0, size: 1 },
  };
  const report = await answered(target.send({ path: '/report/pla', method: 'POST', as: 'agency', body }));
  const adGroupId = Object(report.data)[0]?.ad_group_id;
  const endDate = Object(report.meta).dataCompleteThrough;
  if (typeof endDate !== 'string' || adGroupId === undefined) {
    const where = `from ${body.startDate} to ${body.endDate}`;
    throw new Error(
      `the key’s user sees no delivery in pla ${where}: load some (facts/pla/delivery), or take another user’s key`,
    );
  }
  const last = (days: number) => ({ startDate: formatDay(dayNumber(endDate) - days + 1), endDate });
  return { accountId: Number(accountId), adGroupId: Number(adGroupId), week: last(7), month: last(30) };
}

async function answered(reply: Promise<Reply>): Promise<Record<string, unknown>> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(`the service answers ${status}: ${text}`);
  return Object(JSON.parse(text));
}
