import type { DimensionName } from '../../catalog/dimensions.ts';

/** The dimensions of names that may stand for several things: what these are, and the dimension that tells them apart, if there is one. */
export const NAMES: ReadonlyMap<DimensionName, readonly [things: string, id?: DimensionName]> = new Map([
  ['campaign_name', ['campaigns', 'campaign_id']],
  ['ad_group_name', ['ad groups', 'ad_group_id']],
  ['advertiser_name', ['advertisers', 'advertiser_id']],
  ['creative_name', ['creatives', 'creative_key']],
  ['entity_name', ['products', 'entity_id']],
  ['purchased_entity_name', ['products', 'purchased_entity_id']],
  ['department', ['departments', 'department_id']],
  ['commodity', ['commodities', 'commodity_id']],
  ['sub_commodity', ['sub-commodities', 'sub_commodity_id']],
  ['entity_group', ['entity groups', 'entity_group_id']],
  ['io_name', ['insertion orders', 'io_number']],
  ['io_line_item_name', ['line items', 'io_line_item_number']],
  ['placement', ['placements']],
]);
