import type { EncodedRows } from '../../shared/columns/build-day.ts';

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
 */
export function dayOf(seed: number, sizes: Readonly<Record<string, number>>): EncodedRows {
  const columns = Object.entries(sizes).map(
    ([name, size], index) => [name, { bytes: randomBytes(seed + 1_000 * index, size), distinct: seed }] as const,
  );
  return { rows: seed * 10, columns: new Map(columns) };
}
