import type { KeyColumn, Measure } from '../../../shared/catalog/tables.ts';
import type { KeyValue } from '../../../shared/columns/column.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import type { PlainFacts } from '../../support/encode-fact-rows.ts';

/** Number of distinct values per key of the generated facts, like those of a mid-sized advertiser. */
export const SHAPE = { adGroups: 120, placements: 12, banners: 8, keywords: 800, entities: 2_000, creatives: 60 };

/** @returns an index in [0, n); small indexes are far more frequent, as with keywords, products and ad groups */
function skewed(random: () => number, n: number): number {
  return Math.min(n - 1, Math.floor(n ** random() - 1 + random()));
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

function keywordName(i: number): string {
  return `${ALPHABET[i % 26]}${ALPHABET[(i * 7) % 26]}${ALPHABET[(i * 3) % 26]} snack ${i}`;
}

function upcOf(i: number): string {
  return String(41_100_000_000 + i * 137).padStart(13, '0');
}

/**
 * @param day seeds the rows: the same day gives the same rows
 * @returns delivery rows of one day, with 7 key columns besides the date and the 11 measures of delivery
 */
export function generateDelivery(day: number, rows: number): PlainFacts {
  const random = randomFrom(day * 7919 + 17).next;
  const keys = new Map<KeyColumn, KeyValue[]>();
  const column = (name: KeyColumn) => {
    const values = new Array<KeyValue>(rows);
    keys.set(name, values);
    return values;
  };
  const hour = column('hour');
  const adGroup = column('ad_group_id');
  const placement = column('placement_id');
  const banner = column('division_banner');
  const keyword = column('keyword');
  const entity = column('entity_id');
  const creative = column('creative_key');
  const measure = () => new Float64Array(rows);
  const [impressions, clicks, cost, opportunities] = [measure(), measure(), measure(), measure()];
  const [starts, pauses, first, second, third, completes, duration] = [
    measure(),
    measure(),
    measure(),
    measure(),
    measure(),
    measure(),
    measure(),
  ];
  for (let row = 0; row < rows; row++) {
    const group = skewed(random, SHAPE.adGroups);
    hour[row] = Math.min(23, Math.floor(6 + 18 * random() ** 0.8));
    adGroup[row] = 7_000 + group;
    placement[row] = 1 + skewed(random, SHAPE.placements);
    banner[row] = `Banner ${skewed(random, SHAPE.banners)}`;
    keyword[row] = random() < 0.1 ? null : keywordName((group * 31 + skewed(random, SHAPE.keywords)) % SHAPE.keywords);
    entity[row] = upcOf((group * 17 + skewed(random, SHAPE.entities)) % SHAPE.entities);
    creative[row] = `cr-${group % SHAPE.creatives}`;
    const shown = 1 + Math.floor(40 * random() ** 4);
    impressions[row] = shown;
    opportunities[row] = shown + Math.floor(shown * 3 * random());
    const clicked = random() < 0.04 * Math.min(8, shown) ? 1 + Math.floor(random() * 1.3) : 0;
    clicks[row] = clicked;
    cost[row] = clicked * (400_000 + 10_000 * ((group * 13) % 60));
    const video = group % 4 === 0;
    const played = video ? Math.floor(shown * random()) : 0;
    starts[row] = played;
    pauses[row] = Math.floor(played * random() * 0.2);
    first[row] = Math.floor(played * (0.7 + 0.3 * random()));
    second[row] = Math.floor((first[row] ?? 0) * (0.7 + 0.3 * random()));
    third[row] = Math.floor((second[row] ?? 0) * (0.7 + 0.3 * random()));
    completes[row] = Math.floor((third[row] ?? 0) * (0.7 + 0.3 * random()));
    duration[row] = played * 500 * Math.floor(4 + 20 * random());
  }
  const measures = new Map<Measure, Float64Array>([
    ['impressions', impressions],
    ['clicks', clicks],
    ['cost', cost],
    ['opportunities', opportunities],
    ['video_starts', starts],
    ['video_pauses', pauses],
    ['video_first_quartile_views', first],
    ['video_second_quartile_views', second],
    ['video_third_quartile_views', third],
    ['video_completes', completes],
    ['video_total_duration', duration],
  ]);
  return { rows, keys, measures };
}

/** Products per brand; a conversion buys the advertised product or one of the same brand. */
const PRODUCTS_PER_BRAND = 40;

export const CONVERSION_MEASURES = [
  'halo_transactions',
  'halo_units',
  'halo_revenue',
  'halo_exposed_transactions',
  'halo_exposed_units',
  'halo_exposed_revenue',
] as const;

/**
 * @param day seeds the rows: the same day gives the same rows
 * @returns conversion rows of one day; more than half of them buy the advertised product
 */
export function generateConversions(day: number, rows: number): PlainFacts {
  const random = randomFrom(day * 6007 + 29).next;
  const names = [
    'hour',
    'ad_group_id',
    'placement_id',
    'entity_id',
    'purchased_entity_id',
    'conversion_source',
  ] as const;
  const keys = new Map<KeyColumn, KeyValue[]>(names.map((name) => [name, new Array<KeyValue>(rows)]));
  const put = (name: KeyColumn, row: number, value: KeyValue) => {
    const column = keys.get(name);
    if (column !== undefined) column[row] = value;
  };
  const values = CONVERSION_MEASURES.map(() => new Float64Array(rows));
  for (let row = 0; row < rows; row++) {
    const group = skewed(random, SHAPE.adGroups);
    const product = (group * 17 + skewed(random, SHAPE.entities)) % SHAPE.entities;
    const brand = product - (product % PRODUCTS_PER_BRAND);
    const bought = random() < 0.55 ? product : brand + Math.floor(random() * PRODUCTS_PER_BRAND);
    put('hour', row, Math.min(23, Math.floor(6 + 18 * random() ** 0.8)));
    put('ad_group_id', row, 7_000 + group);
    put('placement_id', row, 1 + skewed(random, SHAPE.placements));
    put('entity_id', row, upcOf(product));
    put('purchased_entity_id', row, upcOf(bought));
    put('conversion_source', row, random() < 0.7 ? 'IN_STORE' : 'ONLINE');
    const clicked = random() < 0.4 ? 1 : 0;
    const units = 1 + Math.floor(3 * random() ** 3);
    const revenue = units * 10_000 * Math.floor(199 + 60 * ((bought * 37) % 10));
    [clicked, clicked * units, clicked * revenue, 1, units, revenue].forEach((value, i) => {
      const column = values[i];
      if (column !== undefined) column[row] = value;
    });
  }
  return {
    rows,
    keys,
    measures: new Map(CONVERSION_MEASURES.map((name, i) => [name, values[i] ?? new Float64Array(rows)])),
  };
}
