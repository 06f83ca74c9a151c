import { expect, test } from 'vitest';
import type { Experience } from '../../shared/catalog/tables.ts';
import type { MarketRow } from '../../shared/demo/market.ts';
import type { ConversionRow } from '../../shared/demo/purchases.ts';
import type { DeliveryRow } from '../../shared/demo/serve-ads.ts';
import type { ActivityRow } from '../../shared/demo/traffic.ts';
import { byId, type Demo } from './read-demo.ts';

/** What the facts of one experience promise, row by row. */
export function describeFacts(experience: Experience, demo: Demo): void {
  const { start, end } = demo;
  const { delivery, conversions, activity, market } = demo.facts[experience];
  const [adGroupOf, campaignOf] = [byId(demo.ad_groups), byId(demo.campaigns)];
  const products = new Map(demo.products.map((product) => [product.upc, product]));
  const placements = demo.placements.filter((it) => it.experiences.includes(experience));
  const creatives = new Map(demo.creatives.map((creative) => [creative.key, creative]));
  const adGroups = [...new Set([...delivery, ...conversions, ...activity].map((row) => row.ad_group_id))].map(
    adGroupOf,
  );
  const advertiserOf = new Map(adGroups.map((it) => [it.id, campaignOf(it.campaignId).advertiserId]));

  test('all tables cover the same 90 days and hours 0 to 23', () => {
    for (const rows of [delivery, activity, market]) {
      expect(new Set(rows.map((row) => row.daily_date)).size).toBe(90);
      expect([rows[0]?.daily_date, rows.at(-1)?.daily_date]).toEqual([start, end]);
      expect(new Set(rows.map((row) => row.hour))).toEqual(new Set(Array.from({ length: 24 }, (_, hour) => hour)));
    }
    expect(conversions.every((row) => start <= row.daily_date && row.daily_date <= end)).toBe(true);
  });

  test('an ad group has facts only while it is on air: never in draft, ahead, in review, failed or outside its flight', () => {
    const states = new Set(adGroups.map((it) => it.status));
    expect([...states].every((status) => ['ACTIVE', 'PAUSED', 'ENDED'].includes(status))).toBe(true);
    const outside = [...delivery, ...activity].filter((row) => {
      const { startDate, endDate } = campaignOf(adGroupOf(row.ad_group_id).campaignId);
      return row.daily_date < startDate || row.daily_date > (endDate ?? end);
    });
    expect(outside).toEqual([]);
  });

  test('what a row refers to exists and is of its advertiser, and of the ad group’s list where it has one', () => {
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

  test('purchases are of the advertised product or of another of the same advertiser and commodity', () => {
    const pairs = conversions.map((row) => [
      products.get(row.entity_id ?? row.purchased_entity_id),
      products.get(row.purchased_entity_id),
    ]);
    expect(pairs.filter(([one, other]) => one === undefined || one.commodityId !== other?.commodityId)).toEqual([]);
    const others = conversions.filter(
      (row) => row.entity_id !== undefined && row.entity_id !== row.purchased_entity_id,
    );
    expect(others.length / conversions.length).toBeGreaterThan(0.1);
    expect(others.length / conversions.length).toBeLessThan(0.5);
    expect(new Set(conversions.map((row) => row.conversion_source))).toEqual(new Set(['ONLINE', 'IN_STORE']));
  });

  test('what is attributed to a click is also attributed to click or view, and only some of it is', () => {
    const beyond = conversions.filter(
      (row) =>
        (row.halo_transactions ?? 0) > row.halo_exposed_transactions ||
        (row.halo_units ?? 0) > row.halo_exposed_units ||
        (row.halo_revenue ?? 0) > row.halo_exposed_revenue,
    );
    expect(beyond).toEqual([]);
    const clicked = conversions.filter((row) => row.halo_transactions !== undefined).length;
    expect(clicked / conversions.length).toBeGreaterThan(0.05);
    expect(clicked / conversions.length).toBeLessThan(0.6);
  });

  test('a purchase follows its touch: the ad group was on air, with the same slice, up to 14 days before', () => {
    const slice = (row: DeliveryRow | ConversionRow) =>
      [row.ad_group_id, row.placement_id, row.division_banner, row.keyword, row.entity_id, row.creative_key].join('|');
    const times = (row: DeliveryRow | ConversionRow) =>
      Date.parse(`${row.daily_date}T00:00:00Z`) / 3_600_000 + row.hour;
    const touches = Map.groupBy(delivery, slice);
    const untouched = conversions.filter((row) => {
      const bought = times(row);
      return !touches.get(slice(row))?.some((it) => times(it) <= bought && bought - times(it) < 15 * 24);
    });
    expect(untouched).toEqual([]);
  });

  test('users of a row are different, no more than its impressions, and unknown to some rows', () => {
    const wrong = delivery.filter(({ users, impressions }) => {
      return (
        users !== undefined &&
        (users.length === 0 || users.length > impressions || new Set(users).size !== users.length)
      );
    });
    expect(wrong).toEqual([]);
    expect(delivery.some((row) => row.users === undefined)).toBe(true);
    expect(conversions.every((row) => row.users.length === 1)).toBe(true);
  });

  test('clicks and opportunities fit the impressions; costs have at most six decimals', () => {
    const wrong = delivery.filter(({ impressions, clicks, opportunities, cost }) => {
      if ((clicks ?? 0) > impressions || !/^\d+(\.\d{1,6})?$/.test(String(cost ?? 0))) return true;
      return experience === 'toa'
        ? opportunities !== undefined
        : opportunities === undefined || opportunities <= impressions;
    });
    expect(wrong).toEqual([]);
  });

  test('keywords are in searches of pla only, creatives everywhere else', () => {
    const searches = delivery.filter((row) => row.keyword !== undefined);
    const pictured = delivery.filter((row) => row.creative_key !== undefined);
    expect(searches.length > 0).toBe(experience === 'pla');
    expect(pictured.length).toBe(experience === 'pla' ? 0 : delivery.length);
  });

  test('of a video, no later quartile is seen more often than an earlier one; pla shows none', () => {
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

  test('no ad group is live for longer than scheduled; some run out of money in the evening and deliver nothing after', () => {
    expect(activity.filter((row) => row.live_seconds > row.scheduled_seconds || row.live_seconds < 0)).toEqual([]);
    const dark = new Set(activity.filter((row) => row.live_seconds === 0).map(hourOf));
    expect([...dark].filter((key) => key.endsWith('|23')).length).toBeGreaterThan(90);
    expect(delivery.filter((row) => dark.has(hourOf(row)))).toEqual([]);
    const on = new Set(activity.map(hourOf));
    expect(delivery.filter((row) => !on.has(hourOf(row)))).toEqual([]);
  });

  test('the market has more impressions in every slice than all advertisers of the demo, and slices of its own', () => {
    const slice = (row: MarketRow | DeliveryRow) =>
      [row.daily_date, row.hour, row.placement_id, row.division_banner, row.keyword].join('|');
    const own = new Map<string, number>();
    for (const row of delivery) own.set(slice(row), (own.get(slice(row)) ?? 0) + row.impressions);
    const all = new Map(market.map((row) => [slice(row), row.impressions]));
    expect(all.size).toBe(market.length);
    expect([...own].filter(([key, impressions]) => (all.get(key) ?? 0) <= impressions)).toEqual([]);
    expect(all.size).toBeGreaterThan(own.size);
  });
}

function hourOf(row: DeliveryRow | ActivityRow): string {
  return `${row.ad_group_id}|${row.daily_date}|${row.hour}`;
}
