import { formatDay, monthOf, quarterOf, weekdayOf, weekOf } from '../lib/calendar.ts';
import { keysOf } from '../lib/keys-of.ts';
import {
  CUSTOM_FIELDS,
  type CustomDimension,
  customColumn,
  listingColumnOf,
  PURCHASED_PRODUCTS,
} from './custom-fields.ts';
import type { DimensionDefinition, DimensionTable, FieldType } from './definitions.ts';
import type { BaseColumn } from './tables.ts';
import { ungroup } from './ungroup.ts';

/** The column of fact rows that refers to the rows of each table. */
const REFERENCES = {
  campaigns: 'ad_group_id',
  ad_groups: 'ad_group_id',
  insertion_orders: 'ad_group_id',
  placements: 'placement_id',
  products: 'entity_id',
  creatives: 'creative_key',
  advertisers: 'advertiser',
  accounts: 'advertiser',
} as const satisfies Partial<Readonly<Record<DimensionTable, BaseColumn>>>;
type ReferencedTable = keyof typeof REFERENCES;

/** @returns a dimension whose values are those of the column, or computed from them */
function base<Type extends FieldType>(
  title: string,
  type: Type,
  column: BaseColumn,
  description: string,
): DimensionDefinition & { readonly type: Type } {
  return { title, description, type, unit: null, base: column };
}

/** @param join `<table>.<column>` @returns a dimension whose values are texts of a dimension table */
function joined(
  title: string,
  join: `${ReferencedTable}.${string}`,
  description: string,
): DimensionDefinition & { readonly type: 'text' } {
  const [table, column] = join.split('.') as [ReferencedTable, string]; // guaranteed by the template type
  return { title, description, type: 'text', unit: null, base: REFERENCES[table], join: { table, column } };
}

/** @returns a dimension whose values are amounts of insertion orders */
function amount(title: string, column: string, description: string) {
  return { ...joined(title, `insertion_orders.${column}`, description), type: 'decimal', unit: 'currency' } as const;
}

/** The number of digits of a UPC, including leading zeros; a GTIN-14 that does not begin with a zero has one more. */
export const UPC_DIGITS = 13;
export const MAX_UPC_DIGITS = 14;

/** What identifies the products of a platform: UPCs, or any text. */
export const PRODUCT_IDS = ['upc', 'text'] as const;
export type ProductIds = (typeof PRODUCT_IDS)[number];

function upc(title: string, column: BaseColumn, description: string): DimensionDefinition & { readonly type: 'text' } {
  return { ...base(title, 'text', column, description), digits: UPC_DIGITS };
}

/** @returns the dimension of a declaration; of a text column of the catalogue's listings, the column has its own name */
function custom(name: string, field: CustomDimension): DimensionDefinition & { readonly type: 'text' } {
  const {
    of,
    column = name,
    title = name,
    description = `Custom field: ${column}${of === undefined ? '' : ` of ${of.replace('_', ' ')}`}.`,
  } = field;
  const join = listingColumnOf(name, field);
  if (join === undefined) return base(title, 'text', customColumn(name, field), description);
  const reference = of === PURCHASED_PRODUCTS ? 'purchased_entity_id' : REFERENCES[join.table];
  return { ...base(title, 'text', reference, description), join: { table: join.table, column: join.column } };
}

const CUSTOM_DIMENSIONS: Readonly<Record<never, DimensionDefinition>> = Object.fromEntries(
  Object.entries(CUSTOM_FIELDS.dimensions).map(([name, field]) => [name, custom(name, field)]),
);

/** The dimensions by group, in the order of display. Rows whose value is missing form a group of their own, with the value null. */
export const DIMENSION_GROUPS = {
  time: {
    daily_date: {
      ...base('Day', 'date', 'date', 'Day in the platform’s time zone.'),
      aliases: ['date', 'day', 'days'],
    },
    week_date: {
      ...base('Week', 'date', 'date', 'First day of the week, which is Monday or the operator’s choice.'),
      ofDay: (day, weekStartsOn) => formatDay(weekOf(day, weekStartsOn)),
      aliases: ['week', 'weeks'],
    },
    month_date: {
      ...base('Month', 'date', 'date', 'First day of the month.'),
      ofDay: (day) => formatDay(monthOf(day)),
      aliases: ['month', 'months'],
    },
    quarter_date: {
      ...base('Quarter', 'date', 'date', 'First day of the quarter.'),
      ofDay: (day) => formatDay(quarterOf(day)),
      aliases: ['quarter', 'quarters'],
    },
    weekday: {
      ...base('Weekday', 'integer', 'date', 'Day of the week, from 1 for Monday to 7 for Sunday (ISO 8601).'),
      ofDay: weekdayOf,
      aliases: ['weekdays', 'day of week'],
    },
    hour: {
      ...base(
        'Hour',
        'integer',
        'hour',
        'Hour of the day, 0–23, in the platform’s time zone; null on days without hours.',
      ),
      aliases: ['hours', 'hour of day'],
    },
  },
  campaign: {
    campaign_name: {
      ...joined('Campaign', 'campaigns.name', 'Name of the campaign.'),
      aliases: ['campaign', 'campaigns'],
    },
    campaign_id: { ...joined('Campaign id', 'campaigns.id', 'Id of the campaign.'), type: 'integer' },
    campaign_short_id: joined('Campaign short id', 'campaigns.shortId', 'Short id of the campaign.'),
  },
  'ad group': {
    ad_group_name: {
      ...joined('Ad group', 'ad_groups.name', 'Name of the ad group.'),
      aliases: ['ad group', 'ad groups', 'adgroup'],
    },
    ad_group_id: base('Ad group id', 'integer', 'ad_group_id', 'Id of the ad group.'),
    ad_group_short_id: joined('Ad group short id', 'ad_groups.shortId', 'Short id of the ad group.'),
    segment_ids: {
      ...joined(
        'Audience segment ids',
        'ad_groups.segmentIds',
        'Audience segments the ad group targets, sorted, joined by ", ".',
      ),
      aliases: ['audience', 'segment'],
    },
  },
  placement: {
    placement: {
      ...joined('Placement', 'placements.name', 'Name of the placement.'),
      aliases: ['position', 'slot'],
    },
    keyword: {
      ...base('Keyword', 'text', 'keyword', 'Search keyword, as loaded; has values in pla only.'),
      aliases: ['query'],
    },
    match_type: base(
      'Match type',
      'text',
      'match_type',
      'How the keyword was matched with the search, such as EXACT or BROAD; has values in pla only.',
    ),
    search_term: {
      ...base(
        'Search term',
        'text',
        'search_term',
        'What the shopper searched for, as loaded; has values in pla only.',
      ),
      aliases: ['customer search term', 'search query'],
    },
    division_banner: {
      ...base(
        'Division banner',
        'text',
        'division_banner',
        'Store banner of the retailer’s division (the name on its stores), as loaded.',
      ),
      aliases: ['banner', 'store', 'division'],
    },
    experience_name: base('Experience', 'text', 'experience', 'Advertising experience: pla, toa or carousel.'),
  },
  product: {
    entity_name: {
      ...joined('Product', 'products.name', 'Name of the advertised product.'),
      aliases: ['advertised entity', 'product', 'item', 'product name'],
    },
    entity_id: {
      ...upc(
        'Product id',
        'entity_id',
        'UPC of the advertised product: 13 or 14 digits with leading zeros, which a filter may omit; or another id, as loaded.',
      ),
      aliases: ['upc', 'sku', 'product id'],
    },
    brand: joined('Brand', 'products.brand', 'Brand of the advertised product.'),
    department: {
      ...joined('Department', 'products.department', 'Department of the advertised product.'),
      aliases: ['category'],
    },
    department_id: joined('Department id', 'products.departmentId', 'Department id of the advertised product.'),
    commodity: joined('Commodity', 'products.commodity', 'Commodity of the advertised product.'),
    commodity_id: joined('Commodity id', 'products.commodityId', 'Commodity id of the advertised product.'),
    sub_commodity: joined('Sub-commodity', 'products.subCommodity', 'Sub-commodity of the advertised product.'),
    sub_commodity_id: joined(
      'Sub-commodity id',
      'products.subCommodityId',
      'Sub-commodity id of the advertised product.',
    ),
    entity_group: joined('Product group', 'products.entityGroup', 'Group of the advertised product.'),
    entity_group_id: joined('Product group id', 'products.entityGroupId', 'Group id of the advertised product.'),
  },
  purchase: {
    purchased_entity_name: {
      ...joined('Purchased product', 'products.name', 'Name of the purchased product.'),
      base: 'purchased_entity_id',
      aliases: ['purchased product', 'halo product'],
    },
    purchased_entity_id: {
      ...upc(
        'Purchased product id',
        'purchased_entity_id',
        'UPC of the purchased product: 13 or 14 digits with leading zeros, which a filter may omit; or another id, as loaded.',
      ),
      aliases: ['purchased upc'],
    },
    purchased_brand: {
      ...joined('Purchased brand', 'products.brand', 'Brand of the purchased product.'),
      base: 'purchased_entity_id',
    },
    conversion_source: base(
      'Conversion source',
      'text',
      'conversion_source',
      'Where the purchase was made, as loaded (e.g. ONLINE, IN_STORE).',
    ),
  },
  creative: {
    creative_name: {
      ...joined('Creative', 'creatives.name', 'Name of the creative.'),
      aliases: ['creative', 'ad'],
    },
    creative_key: base('Creative key', 'text', 'creative_key', 'Key of the creative.'),
  },
  advertiser: {
    advertiser_name: {
      ...joined('Advertiser', 'advertisers.name', 'Name of the advertiser.'),
      aliases: ['advertiser', 'brand owner'],
    },
    advertiser_id: { ...joined('Advertiser id', 'advertisers.id', 'Id of the advertiser.'), type: 'integer' },
    advertiser_type: joined('Advertiser type', 'advertisers.advertiserType', 'Type of the advertiser.'),
    brand_names: joined('Brand names', 'advertisers.brandNames', 'Brands of the advertiser, sorted, joined by ", ".'),
    accounts: joined(
      'Accounts',
      'accounts.names',
      'Names of those of your accounts that own the advertiser, sorted, joined by ", ".',
    ),
    primaryAccountName: joined(
      'Primary account',
      'accounts.primaryName',
      'Name of the advertiser’s primary account if it is one of yours, else of your account with the lowest id that owns the advertiser.',
    ),
  },
  'insertion order': {
    io_name: joined('IO name', 'insertion_orders.ioName', 'Name of the insertion order.'),
    io_number: joined('IO number', 'insertion_orders.ioNumber', 'Number of the insertion order.'),
    io_total_amount: amount('IO total amount', 'ioTotalAmount', 'Total amount of the insertion order.'),
    io_remaining_amount: amount(
      'IO remaining amount',
      'ioRemainingAmount',
      'Remaining amount of the insertion order, as loaded.',
    ),
    io_line_item_name: joined(
      'IO line item',
      'insertion_orders.ioLineItemName',
      'Name of the insertion order’s line item.',
    ),
    io_line_item_number: joined(
      'IO line item number',
      'insertion_orders.ioLineItemNumber',
      'Number of the insertion order’s line item.',
    ),
    io_line_item_amount: amount(
      'IO line item amount',
      'ioLineItemAmount',
      'Amount of the insertion order’s line item.',
    ),
    billings: joined('Billings', 'insertion_orders.billings', 'Billing reference of the insertion order.'),
    purchase_order_number: joined(
      'Purchase order number',
      'insertion_orders.purchaseOrderNumber',
      'Purchase order number of the insertion order.',
    ),
  },
  custom: CUSTOM_DIMENSIONS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, DimensionDefinition>>>>;

export const DIMENSIONS = ungroup(DIMENSION_GROUPS);
export type DimensionName = keyof typeof DIMENSIONS;

/** The names of the dimensions, in the order of display. */
export const DIMENSION_NAMES = keysOf(DIMENSIONS);

/** @returns the definition of the dimension, as the general type */
export function dimensionOf(name: DimensionName): DimensionDefinition {
  return DIMENSIONS[name];
}

export function isDimension(name: string): name is DimensionName {
  return Object.hasOwn(DIMENSIONS, name);
}
