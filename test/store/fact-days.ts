import { type FactRows, sumDay } from '../../shared/columns/build-day.ts';
import { codeKeys } from '../../shared/columns/coded-keys.ts';
import { type BuiltDay, buildDay, type EncodedRun, namesOf, packOf } from '../../shared/columns/runs.ts';

/** @returns pseudo-random bytes, which do not compress; the same for the same seed and length */
export function randomBytes(seed: number, length: number): Uint8Array {
  let state = seed * 2_654_435_761 + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

/**
 * @param seed determines the content; the day has `10 * seed` rows, and each column `seed` distinct values
 * @param sizes the bytes of each column
 * @returns a day that is too large for a run with others; its columns are no encoded rows
 */
export function dayOf(
  seed: number,
  sizes: Readonly<Record<string, number>>,
): BuiltDay & { readonly content: EncodedRun } {
  const names = Object.keys(sizes).sort();
  const columns = Object.entries(sizes).map(
    ([name, size], index) => [name, { bytes: randomBytes(seed + 1_000 * index, size), distinct: seed }] as const,
  );
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  const packs = total > 64 * 1024 ? [] : [...new Set(names.map(packOf))];
  const sorted = columns.sort(([a], [b]) => (a < b ? -1 : 1));
  const content = { rows: seed * 10, columns: new Map(sorted), packs };
  const hash = randomBytes(seed * 31 + total, 8);
  return { rows: seed * 10, hours: [8], size: 1_000_000, names: namesOf(names), hash, isDelivered: true, content };
}

/** @returns the bytes of the day's columns */
export function bytesOf(
  { content }: ReturnType<typeof dayOf>,
  columns: readonly string[],
): ReadonlyMap<string, Uint8Array> {
  return new Map([...content.columns].flatMap(([name, { bytes }]) => (columns.includes(name) ? [[name, bytes]] : [])));
}

/** @returns a day of delivery with so many rows; each has one user if `hasShoppers` */
export function rowsOf(seed: number, rows: number, hasShoppers = false): BuiltDay {
  const numbers = Array.from({ length: rows }, (_, row) => row);
  const facts: FactRows = {
    rows,
    keys: new Map([
      ['keyword', codeKeys(numbers.map((row) => `keyword ${(row * seed) % 997}`))],
      ['entity_id', codeKeys(numbers.map((row) => `${row}`))],
      ['hour', codeKeys(numbers.map((row) => row % 24))],
    ]),
    measures: new Map([
      ['clicks', Float64Array.from(numbers, (row) => row + seed)],
      ['cost', Float64Array.from(numbers, (row) => row * 1_000 * seed)],
    ]),
    ...(hasShoppers && {
      shoppers: {
        rows,
        offsets: Uint32Array.from([...numbers, rows]),
        hashes: Float64Array.from(numbers, (row) => (row * seed * 1_000_003) % 2 ** 48),
      },
    }),
  };
  return buildDay(sumDay('delivery', facts));
}
