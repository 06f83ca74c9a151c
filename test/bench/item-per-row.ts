import { TABLE_MEASURES } from '../../shared/catalog/tables.ts';
import type { FactRows } from '../../shared/columns/build-day.ts';
import { dateOf } from './bench-folder.ts';
import type { ApartTable } from './engine-apart.ts';

/**
 * The obvious design: each fact row is an item, under the advertiser and the day, with attribute names of one or two letters. What is null or 0 is
 * left out, and the sort key is as short as it can be, so that nobody would need fewer bytes.
 */
export type RowItem = Readonly<Record<string, string | number>> & { readonly pk: string; readonly sk: string };

const KEY_NAMES = {
  hour: 'h',
  ad_group_id: 'a',
  placement_id: 'p',
  division_banner: 'b',
  keyword: 'k',
  entity_id: 'e',
  creative_key: 'c',
  conversion_source: 's',
  purchased_entity_id: 'q',
} as const;
const MEASURE_NAMES = new Map<string, string>(
  [...Object.keys(TABLE_MEASURES.delivery), ...Object.keys(TABLE_MEASURES.conversions)].map((name, i) => [
    name,
    `m${String.fromCharCode(97 + i)}`,
  ]),
);

/**
 * @param table starts the partition key: the facts of an advertiser, experience and table are one partition
 * @param n the day
 * @returns the items of one day
 */
export function* rowItems(table: 'd' | 'c', n: number, facts: FactRows): Generator<RowItem> {
  const keys = Object.entries(KEY_NAMES).map(([name, short]) => {
    return { short, values: facts.keys.get(name as keyof typeof KEY_NAMES) }; // the keys of the literal above
  });
  const measures = [...facts.measures].map(([name, values]) => ({ short: MEASURE_NAMES.get(name) ?? name, values }));
  for (let row = 0; row < facts.rows; row++) {
    const item: Record<string, string | number> = {};
    for (const { short, values } of [...keys, ...measures]) {
      const value = values?.[row] ?? 0;
      if (value !== 0) item[short] = value;
    }
    yield { pk: `1#pla#${table}`, sk: `${dateOf(n)}#${row.toString(36)}`, ...item };
  }
}

/**
 * @returns the size that DynamoDB counts for the item: the UTF-8 bytes of each name, and of each value those of the text, or for a number one byte
 * for each pair of significant digits, pairs counted from the decimal point, and one more
 */
export function itemBytes(item: RowItem): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += name.length + (typeof value === 'string' ? Buffer.byteLength(value) : numberBytes(value));
  }
  return bytes;
}

/** @param value an integer above 0 */
function numberBytes(value: number): number {
  let pairs = value;
  while (pairs % 100 === 0) pairs /= 100;
  return Math.ceil(String(pairs).length / 2) + 1;
}

/** @returns the units of an eventually consistent Query of items of so many bytes: their sum, rounded up to 4 KB, at half a unit */
export function queryUnits(bytes: number): number {
  return Math.ceil(bytes / 4096) / 2;
}

/**
 * Writes items and reads them back by one Query.
 * @throws Error unless the table says that it used just what the rule says
 */
export async function checkRule({ table }: ApartTable, items: readonly RowItem[]): Promise<void> {
  const [first] = items;
  if (first === undefined) throw new Error('there are no items to check the rule by');
  await table.putMany(items);
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const found = await table.metered(meter).query({ pk: first.pk, consistent: false });
  const expected = queryUnits(items.reduce((sum, item) => sum + itemBytes(item), 0));
  if (found.length === items.length && meter.readUnits === expected && meter.calls === 1) return;
  const took = `${found.length} of ${items.length} items for ${meter.readUnits} units in ${meter.calls} calls`;
  throw new Error(`the rule says ${expected} units; the engine answered ${took}`);
}
