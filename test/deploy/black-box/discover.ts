import { dayNumber, formatDay } from '../../../shared/calendar.ts';
import type { Reply, Target } from '../target.ts';
import type { World } from './suite.ts';

/** Far back, and still a period that a report takes. */
const DAYS_BACK = 725;

/** Finds out what the suite asks about: nothing of the data needs to be known beforehand. */
export async function discoverWorld(target: Target): Promise<World> {
  const accounts = await answered(target.send({ path: '/metadata/accounts', as: 'agency' }));
  const accountId = Number(Object(accounts.data)[0]?.id);
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
  const endDate = String(Object(report.meta).dataCompleteThrough);
  const last = (days: number) => ({ startDate: formatDay(dayNumber(endDate) - days + 1), endDate });
  return { accountId, adGroupId: Number(Object(report.data)[0]?.ad_group_id), week: last(7), month: last(30) };
}

async function answered(reply: Promise<Reply>): Promise<Record<string, unknown>> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(`the service answers ${status}: ${text}`);
  return Object(JSON.parse(text));
}
