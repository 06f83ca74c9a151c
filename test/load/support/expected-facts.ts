import { hashUser } from '../../support/user-id-key.ts';
import type { StoredNetwork } from './read-stored-network.ts';

/**
 * FACTS as they are stored, by experience, table, advertiser (0: the platform) and day: rows with equal keys summed, their users united, money in micros,
 * video durations in milliseconds; without members that are null, 0 or empty.
 */
export const EXPECTED_FACTS: StoredNetwork['facts'] = {
  'pla market 0 2026-03-02': [
    {
      hour: 9,
      placement_id: 1,
      division_banner: 'North',
      keyword: 'oat milk',
      market_impressions: 1000,
      market_advertisers: 6,
    },
  ],
  'pla market 0 2026-03-03': [
    {
      placement_id: 2,
      market_impressions: 70,
    },
  ],
  'pla delivery 10 2026-03-02': [
    {
      hour: 10,
      ad_group_id: 1000,
      impressions: 7,
    },
    {
      hour: 9,
      ad_group_id: 1001,
      placement_id: 1,
      division_banner: 'North',
      keyword: 'oat milk',
      entity_id: '0000000000011',
      creative_key: 'k1',
      impressions: 15,
      clicks: 1,
      cost: 300000,
      users: hashes('ann', 'bob', 'cyd'),
    },
  ],
  'pla delivery 10 2026-03-03': [
    {
      ad_group_id: 1001,
      placement_id: 2,
      division_banner: 'South',
      keyword: 'rye, "fresh"',
      entity_id: '0000000000012',
      creative_key: 'k1',
      impressions: 3,
      video_starts: 2,
      video_total_duration: 1125,
      users: hashes('dan'),
    },
  ],
  'pla conversions 10 2026-03-03': [
    {
      hour: 12,
      ad_group_id: 1001,
      placement_id: 1,
      entity_id: '0000000000011',
      conversion_source: 'ONLINE',
      purchased_entity_id: '0000000000012',
      halo_transactions: 1,
      halo_units: 2,
      halo_revenue: 4990000,
      halo_exposed_transactions: 2,
      halo_exposed_units: 3,
      halo_exposed_revenue: 7490000,
      users: hashes('ann', 'eve'),
    },
  ],
  'pla activity 10 2026-03-02': [
    {
      hour: 9,
      ad_group_id: 1000,
      live_seconds: 1800,
      scheduled_seconds: 3600,
    },
    {
      hour: 9,
      ad_group_id: 1001,
      live_seconds: 3600,
      scheduled_seconds: 3600,
    },
  ],
  'pla delivery 11 2026-03-02': [
    {
      hour: 23,
      ad_group_id: 1100,
      placement_id: 1,
      division_banner: 'North',
      keyword: 'rye',
      entity_id: '0000000000011',
      impressions: 4,
      cost: 12345678901,
      users: hashes('ann'),
    },
  ],
  'carousel delivery 11 2026-03-02': [
    {
      hour: 1,
      ad_group_id: 1100,
      placement_id: 2,
      impressions: 9,
      users: hashes('ann'),
    },
  ],
};

function hashes(...ids: string[]): number[] {
  return ids.map(hashUser).sort((a, b) => a - b);
}
