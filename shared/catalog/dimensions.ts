import { formatDay, monthOf, quarterOf, weekdayOf, weekOf } from '../lib/calendar.ts';
import type { DimensionDefinition, DimensionTable, FieldType, Unit } from './definitions.ts';
import type { BaseColumn } from './tables.ts';
import { ungroup } from './ungroup.ts';

/** `<table>.<column>` */
type Join = `${DimensionTable}.${string}`;

function dimension<Type extends FieldType>(
  title: string,
  type: Type,
  base: BaseColumn,
  join: Join | null,
  description: string,
  unit: Unit | null = null,
): DimensionDefinition & { readonly type: Type } {
  if (join === null) return { title, description, type, unit, base };
  const [table, column] = join.split('.') as [DimensionTable, string]; // guaranteed by the template type Join
  return { title, description, type, unit, base, join: { table, column } };
}

/** The number of digits of a UPC, including leading zeros; a GTIN-14 that does not begin with a zero has one more. */
export const UPC_DIGITS = 13;
export const MAX_UPC_DIGITS = 14;

/** What identifies the products of a platform: UPCs, or any text. */
export const PRODUCT_IDS = ['upc', 'text'] as const;
export type ProductIds = (typeof PRODUCT_IDS)[number];

function upc(title: string, base: BaseColumn, description: string): DimensionDefinition & { readonly type: 'text' } {
  return { ...dimension(title, 'text', base, null, description), digits: UPC_DIGITS };
}

/** The dimensions by group, in the order of display. Rows whose value is missing form a group of their own, with the value null. */
export const DIMENSION_GROUPS = {
  time: {
    daily_date: {
      ...dimension('Day', 'date', 'date', null, 'Day in the platform’s time zone.'),
      aliases: ['date', 'day', 'days'],
    },
    week_date: {
      ...dimension('Week', 'date', 'date', null, 'First day of the week, which is Monday or the operator’s choice.'),
      ofDay: (day, weekStartsOn) => formatDay(weekOf(day, weekStartsOn)),
      aliases: ['week', 'weeks'],
    },
    month_date: {
      ...dimension('Month', 'date', 'date', null, 'First day of the month.'),
      ofDay: (day) => formatDay(monthOf(day)),
      aliases: ['month', 'months'],
    },
    quarter_date: {
      ...dimension('Quarter', 'date', 'date', null, 'First day of the quarter.'),
      ofDay: (day) => formatDay(quarterOf(day)),
      aliases: ['quarter', 'quarters'],
    },
    weekday: {
      ...dimension(
        'Weekday',
        'integer',
        'date',
        null,
        'Day of the week, from 1 for Monday to 7 for Sunday (ISO 8601).',
      ),
      ofDay: weekdayOf,
      aliases: ['weekdays', 'day of week'],
    },
    hour: {
      ...dimension('Hour', 'integer', 'hour', null, 'Hour of the day, 0–23, in the platform’s time zone.'),
      aliases: ['hours', 'hour of day'],
    },
  },
  campaign: {
    campaign_name: {
      ...dimension('Campaign', 'text', 'ad_group_id', 'campaigns.name', 'Name of the campaign.'),
      aliases: ['campaign', 'campaigns'],
    },
    campaign_id: dimension('Campaign id', 'integer', 'ad_group_id', 'campaigns.id', 'Id of the campaign.'),
    campaign_short_id: dimension(
      'Campaign short id',
      'text',
      'ad_group_id',
      'campaigns.shortId',
      'Short id of the campaign.',
    ),
  },
  'ad group': {
    ad_group_name: {
      ...dimension('Ad group', 'text', 'ad_group_id', 'ad_groups.name', 'Name of the ad group.'),
      aliases: ['ad group', 'ad groups', 'adgroup'],
    },
    ad_group_id: dimension('Ad group id', 'integer', 'ad_group_id', null, 'Id of the ad group.'),
    ad_group_short_id: dimension(
      'Ad group short id',
      'text',
      'ad_group_id',
      'ad_groups.shortId',
      'Short id of the ad group.',
    ),
    segment_ids: {
      ...dimension(
        'Audience segment ids',
        'text',
        'ad_group_id',
        'ad_groups.segmentIds',
        'Audience segments the ad group targets, sorted, joined by ", ".',
      ),
      aliases: ['audience', 'segment'],
    },
  },
  placement: {
    placement: {
      ...dimension('Placement', 'text', 'placement_id', 'placements.name', 'Name of the placement.'),
      aliases: ['position', 'slot'],
    },
    keyword: {
      ...dimension('Keyword', 'text', 'keyword', null, 'Search keyword, as loaded; has values in pla only.'),
      aliases: ['search term', 'query'],
    },
    division_banner: {
      ...dimension(
        'Division banner',
        'text',
        'division_banner',
        null,
        'Store banner of the retailer’s division (the name on its stores), as loaded.',
      ),
      aliases: ['banner', 'store', 'division'],
    },
    experience_name: dimension(
      'Experience',
      'text',
      'experience',
      null,
      'Advertising experience: pla, toa or carousel.',
    ),
  },
  product: {
    entity_name: {
      ...dimension('Advertised entity', 'text', 'entity_id', 'products.name', 'Name of the advertised product.'),
      aliases: ['product', 'item', 'product name'],
    },
    entity_id: {
      ...upc(
        'Advertised entity id',
        'entity_id',
        'UPC of the advertised product: 13 or 14 digits with leading zeros, which a filter may omit; or another id, as loaded.',
      ),
      aliases: ['upc', 'sku', 'product id'],
    },
    brand: dimension('Brand', 'text', 'entity_id', 'products.brand', 'Brand of the advertised product.'),
    department: {
      ...dimension('Department', 'text', 'entity_id', 'products.department', 'Department of the advertised product.'),
      aliases: ['category'],
    },
    department_id: dimension(
      'Department id',
      'text',
      'entity_id',
      'products.departmentId',
      'Department id of the advertised product.',
    ),
    commodity: dimension(
      'Commodity',
      'text',
      'entity_id',
      'products.commodity',
      'Commodity of the advertised product.',
    ),
    commodity_id: dimension(
      'Commodity id',
      'text',
      'entity_id',
      'products.commodityId',
      'Commodity id of the advertised product.',
    ),
    sub_commodity: dimension(
      'Sub-commodity',
      'text',
      'entity_id',
      'products.subCommodity',
      'Sub-commodity of the advertised product.',
    ),
    sub_commodity_id: dimension(
      'Sub-commodity id',
      'text',
      'entity_id',
      'products.subCommodityId',
      'Sub-commodity id of the advertised product.',
    ),
    entity_group: dimension(
      'Entity group',
      'text',
      'entity_id',
      'products.entityGroup',
      'Group of the advertised product.',
    ),
    entity_group_id: dimension(
      'Entity group id',
      'text',
      'entity_id',
      'products.entityGroupId',
      'Group id of the advertised product.',
    ),
  },
  purchase: {
    purchased_entity_name: {
      ...dimension(
        'Purchased entity',
        'text',
        'purchased_entity_id',
        'products.name',
        'Name of the purchased product.',
      ),
      aliases: ['purchased product', 'halo product'],
    },
    purchased_entity_id: {
      ...upc(
        'Purchased entity id',
        'purchased_entity_id',
        'UPC of the purchased product: 13 or 14 digits with leading zeros, which a filter may omit; or another id, as loaded.',
      ),
      aliases: ['purchased upc'],
    },
    conversion_source: dimension(
      'Conversion source',
      'text',
      'conversion_source',
      null,
      'Where the purchase was made, as loaded (e.g. ONLINE, IN_STORE).',
    ),
  },
  creative: {
    creative_name: {
      ...dimension('Creative', 'text', 'creative_key', 'creatives.name', 'Name of the creative.'),
      aliases: ['creative', 'ad'],
    },
    creative_key: dimension('Creative key', 'text', 'creative_key', null, 'Key of the creative.'),
  },
  advertiser: {
    advertiser_name: {
      ...dimension('Advertiser', 'text', 'advertiser', 'advertisers.name', 'Name of the advertiser.'),
      aliases: ['advertiser', 'brand owner'],
    },
    advertiser_id: dimension('Advertiser id', 'integer', 'advertiser', 'advertisers.id', 'Id of the advertiser.'),
    advertiser_type: dimension(
      'Advertiser type',
      'text',
      'advertiser',
      'advertisers.advertiserType',
      'Type of the advertiser.',
    ),
    brand_names: dimension(
      'Brand names',
      'text',
      'advertiser',
      'advertisers.brandNames',
      'Brands of the advertiser, sorted, joined by ", ".',
    ),
    accounts: dimension(
      'Accounts',
      'text',
      'advertiser',
      'accounts.names',
      'Names of those of your accounts that own the advertiser, sorted, joined by ", ".',
    ),
    primaryAccountName: dimension(
      'Primary account',
      'text',
      'advertiser',
      'accounts.primaryName',
      'Name of the advertiser’s primary account if it is one of yours, else of your account with the lowest id that owns the advertiser.',
    ),
  },
  'insertion order': {
    io_name: dimension('IO name', 'text', 'ad_group_id', 'insertion_orders.ioName', 'Name of the insertion order.'),
    io_number: dimension(
      'IO number',
      'text',
      'ad_group_id',
      'insertion_orders.ioNumber',
      'Number of the insertion order.',
    ),
    io_total_amount: dimension(
      'IO total amount',
      'decimal',
      'ad_group_id',
      'insertion_orders.ioTotalAmount',
      'Total amount of the insertion order.',
      'currency',
    ),
    io_remaining_amount: dimension(
      'IO remaining amount',
      'decimal',
      'ad_group_id',
      'insertion_orders.ioRemainingAmount',
      'Remaining amount of the insertion order, as loaded.',
      'currency',
    ),
    io_line_item_name: dimension(
      'IO line item',
      'text',
      'ad_group_id',
      'insertion_orders.ioLineItemName',
      'Name of the insertion order’s line item.',
    ),
    io_line_item_number: dimension(
      'IO line item number',
      'text',
      'ad_group_id',
      'insertion_orders.ioLineItemNumber',
      'Number of the insertion order’s line item.',
    ),
    io_line_item_amount: dimension(
      'IO line item amount',
      'decimal',
      'ad_group_id',
      'insertion_orders.ioLineItemAmount',
      'Amount of the insertion order’s line item.',
      'currency',
    ),
    billings: dimension(
      'Billings',
      'text',
      'ad_group_id',
      'insertion_orders.billings',
      'Billing reference of the insertion order.',
    ),
    purchase_order_number: dimension(
      'Purchase order number',
      'text',
      'ad_group_id',
      'insertion_orders.purchaseOrderNumber',
      'Purchase order number of the insertion order.',
    ),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, DimensionDefinition>>>>;

export type DimensionGroup = keyof typeof DIMENSION_GROUPS;
/** The dimensions by name. */
export const DIMENSIONS = ungroup(DIMENSION_GROUPS);
export type DimensionName = keyof typeof DIMENSIONS;

/** The names of the dimensions, in the order of display. */
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as DimensionName[]; // keyof the groups

/** @returns the definition of the dimension, as the general type */
export function dimensionOf(name: DimensionName): DimensionDefinition {
  return DIMENSIONS[name];
}

/** @returns whether `name` is a dimension */
export function isDimension(name: string): name is DimensionName {
  return Object.hasOwn(DIMENSIONS, name);
}
