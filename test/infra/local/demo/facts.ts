import { expect, test } from 'vitest';
import type { Experience } from '../../../../shared/catalog/tables.ts';
import { byId, type Demo, type Facts } from './read-demo.ts';

type Row<Table extends keyof Facts> = Facts[Table][number];

/** Tests of the facts of one experience, row by row. */
export function describeFacts(experience: Experience, demo: Demo): void {
  const { start, end } = demo;
  const { delivery, conversions, activity, market } = demo.facts[experience];
  const [adGroupOf, campaignOf] = [byId(demo.ad_groups), byId(demo.campaigns)];
  const products = new Map(demo.products.map((product) => [product.upc, product]));
  const placements = demo.placements.filter((placement) => placement.experiences.includes(experience));
  const creatives = new Map(demo.creatives.map((creative) => [creative.key, creative]));
  const adGroups = [...new Set([...delivery, ...conversions, ...activity].map((row) => row.ad_group_id))].map(
    adGroupOf,
  );
  const advertiserOf = new Map(adGroups.map(({ id, campaignId }) => [id, campaignOf(campaignId).advertiserId]));

  test('all tables cover the same 90 days and the hours 0 to 23', () => {
    for (const rows of [delivery, activity, market]) {
      expect(new Set(rows.map((row) => row.daily_date)).size).toBe(90);
      expect([rows[0]?.daily_date, rows.at(-1)?.daily_date]).toEqual([start, end]);
      expect(new Set(rows.map((row) => row.hour))).toEqual(new Set(Array.from({ length: 24 }, (_, hour) => hour)));
    }
    expect(conversions.every((row) => start <= row.daily_date && row.daily_date <= end)).toBe(true);
  });

  test('only ad groups that are active, paused or ended have facts, and only within their flight', () => {
    const statuses = new Set(adGroups.map((adGroup) => adGroup.status));
    expect([...statuses].every((status) => ['ACTIVE', 'PAUSED', 'ENDED'].includes(status))).toBe(true);
    const outside = [...delivery, ...activity].filter((row) => {
      const { startDate, endDate } = campaignOf(adGroupOf(row.ad_group_id).campaignId);
      return row.daily_date < startDate || row.daily_date > (endDate ?? end);
    });
    expect(outside).toEqual([]);
  });

  test('every product, creative and placement of a row exists, belongs to the advertiser, and is in the ad group’s list if it has one', () => {
    const wrong = [...delivery, ...conversions].filter((row) => {
      const advertiser = advertiserOf.get(row.ad_group_id);
      const product = row.entity_id === undefined ? undefined : products.get(row.entity_id);
      const listed = adGroupOf(row.ad_group_id).productIds;
      if (row.entity_id !== undefined && product?.advertiserId !== advertiser) return true;
      if (product !== undefined && listed !== undefined && !listed.includes(product.id)) return true;
      if (row.creative_key !== undefined && creatives.get(row.creative_key)?.advertiserId !== advertiser) return true;
      return !placements.some((placement) => placement.id === row.placement_id);
    });
    expect(wrong).toEqual([]);
  });

  test('halo measures never exceed halo_exposed measures, and only some conversions follow a click', () => {
    const exceeding = conversions.filter(
      (row) =>
        (row.halo_transactions ?? 0) > row.halo_exposed_transactions ||
        (row.halo_units ?? 0) > row.halo_exposed_units ||
        (row.halo_revenue ?? 0) > row.halo_exposed_revenue,
    );
    expect(exceeding).toEqual([]);
    const clicked = conversions.filter((row) => row.halo_transactions !== undefined).length;
    expect(clicked / conversions.length).toBeGreaterThan(0.05);
    expect(clicked / conversions.length).toBeLessThan(0.6);
  });

  test('clicks are at most the impressions, opportunities, which toa does not have, are more, and costs have at most six decimals', () => {
    const wrong = delivery.filter(({ impressions, clicks, opportunities, cost }) => {
      if ((clicks ?? 0) > impressions || !/^\d+(\.\d{1,6})?$/.test(String(cost ?? 0))) return true;
      return experience === 'toa'
        ? opportunities !== undefined
        : opportunities === undefined || opportunities <= impressions;
    });
    expect(wrong).toEqual([]);
  });

  test('video views never increase from one quartile to the next, and pla has no videos', () => {
    const videos = delivery.filter((row) => row.video_starts !== undefined);
    expect(videos.length > 0).toBe(experience !== 'pla');
    const wrong = videos.filter((row) => {
      const funnel = [
        row.impressions,
        row.video_starts,
        row.video_first_quartile_views,
        row.video_second_quartile_views,
        row.video_third_quartile_views,
        row.video_completes,
      ].map(Number);
      return (
        funnel.some((count, step) => count > (funnel[step - 1] ?? Infinity)) ||
        !/^\d+(\.\d{1,3})?$/.test(String(row.video_total_duration))
      );
    });
    expect(wrong).toEqual([]);
  });

  test('no ad group is live for longer than scheduled, and some spend their budget before the evening ends and then deliver nothing', () => {
    expect(activity.filter((row) => row.live_seconds > row.scheduled_seconds || row.live_seconds < 0)).toEqual([]);
    const offline = new Set(activity.filter((row) => row.live_seconds === 0).map(hourOf));
    expect([...offline].filter((key) => key.endsWith('|23')).length).toBeGreaterThan(90);
    expect(delivery.filter((row) => offline.has(hourOf(row)))).toEqual([]);
    const scheduled = new Set(activity.map(hourOf));
    expect(delivery.filter((row) => !scheduled.has(hourOf(row)))).toEqual([]);
  });

  test('the market has more impressions in every slice than the demo’s advertisers together', () => {
    const own = new Map<string, number>();
    for (const row of delivery) own.set(sliceOf(row), (own.get(sliceOf(row)) ?? 0) + row.impressions);
    const all = new Map(market.map((row) => [sliceOf(row), row.impressions]));
    expect(all.size).toBe(market.length);
    expect([...own].filter(([key, impressions]) => (all.get(key) ?? 0) <= impressions)).toEqual([]);
  });

  test('the market has more advertisers in every slice than the demo, in most at least three more', () => {
    const own = Map.groupBy(
      delivery.filter((row) => row.impressions > 0),
      sliceOf,
    );
    const others = market.map((row) => {
      const ids = (own.get(sliceOf(row)) ?? []).map(({ ad_group_id }) => advertiserOf.get(ad_group_id));
      return row.advertisers - new Set(ids).size;
    });
    expect(others.filter((count) => count < 1)).toEqual([]);
    const crowded = others.filter((count) => count >= 3).length / others.length;
    expect(crowded).toBeGreaterThan(0.93);
    expect(crowded).toBeLessThan(1);
    expect(Math.max(...others)).toBeGreaterThan(new Set(advertiserOf.values()).size);
    expect(market.filter((row) => row.advertisers > row.impressions)).toEqual([]);
  });
}

function hourOf(row: Row<'delivery' | 'activity'>): string {
  return `${row.ad_group_id}|${row.daily_date}|${row.hour}`;
}

/** @returns the market slice that the row belongs to */
function sliceOf(row: Row<'market' | 'delivery'>): string {
  return [row.daily_date, row.hour, row.placement_id, row.division_banner, row.keyword].join('|');
}
