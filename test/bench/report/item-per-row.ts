import { TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import type { PlainFacts } from '../../support/encode-fact-rows.ts';
import { dateOf } from '../tools/bench-folder.ts';
import type { BenchTable } from '../tools/engine.ts';

/**
 * A fact row in the design with one item per row, partitioned by advertiser and sorted by day. Attribute names have one or two letters, null and 0 are
 * left out, and keys are short, so that the comparison favors this design.
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
 * @param table ends the partition key: the facts of an advertiser, experience and table are one partition
 * @param n the number of the day, as `dateOf` takes it
 * @returns the items of the day
 */
export function* rowItems(table: 'd' | 'c', n: number, facts: PlainFacts): Generator<RowItem> {
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
 * @returns the item's size by DynamoDB's rule: the UTF-8 bytes of all names and texts; a number takes one byte per two significant digits, paired from
 * the decimal point, and one more byte
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

/** @returns the read units of an eventually consistent Query of that many bytes: half a unit per 4 KB, rounded up */
export function queryUnits(bytes: number): number {
  return Math.ceil(bytes / 4096) / 2;
}

/**
 * Writes the items and reads them with one Query.
 * @throws Error unless the table reports exactly the units that `queryUnits` gives
 */
export async function checkQueryUnits({ table }: BenchTable, items: readonly RowItem[]): Promise<void> {
  const [first] = items;
  if (first === undefined) throw new Error('there are no items to check');
  await table.putMany(items);
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const found = await table.metered(meter).query({ pk: first.pk, consistent: false });
  const expected = queryUnits(items.reduce((sum, item) => sum + itemBytes(item), 0));
  if (found.length === items.length && meter.readUnits === expected && meter.calls === 1) return;
  const actual = `${found.length} of ${items.length} items for ${meter.readUnits} units in ${meter.calls} calls`;
  throw new Error(`the formula gives ${expected} units, but the table returned ${actual}`);
}
