import { existing } from './data/network.ts';

export type Random = ReturnType<typeof createRandom>;

/** @param seed any text: the same seed gives the same values in every run */
export function createRandom(seed: string) {
  const next = createStream(seed);
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from));
  return {
    /** @returns a number in [0, 1) */
    next,
    /** @returns an integer in [from, to) */
    int,
    /** @returns true with the given probability */
    chance: (probability: number) => next() < probability,
    /** @returns one of the items, all equally likely */
    pick: <T>(items: readonly T[]): T => existing(items[int(0, items.length)]),
    /** @returns `count` different items (all of them if there are fewer), in the order of the list */
    sample<T>(items: readonly T[], count: number): T[] {
      let missing = count;
      return items.filter((_, index) => next() * (items.length - index) < missing && missing-- > 0);
    },
    /** @returns an integer from the Poisson distribution; its cost grows with the mean, so means should stay below 50 */
    count(mean: number): number {
      let events = 0;
      for (let product = next(); product > Math.exp(-mean); product *= next()) events += 1;
      return events;
    },
  };
}

/** @returns a function that draws one of the items by weight with one random number */
export function drawByWeight<T>(items: readonly T[], weightOf: (item: T, index: number) => number) {
  let total = 0;
  const ends = items.map((item, index) => {
    total += weightOf(item, index);
    return total;
  });
  return (random: Random): T => {
    const target = random.next() * total;
    return existing(items[ends.findIndex((end) => end > target)]);
  };
}

/** Draws by weight; the n-th item has the weight 1 / n^`exponent` (Zipf). */
export function drawByRank<T>(items: readonly T[], exponent: number) {
  return drawByWeight(items, (_, index) => 1 / (index + 1) ** exponent);
}

/** @returns the numbers of the generator sfc32 */
function createStream(seed: string): () => number {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const step = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (const character of seed) {
    a ^= character.codePointAt(0) ?? 0;
    step();
  }
  for (let round = 0; round < 12; round++) step();
  return () => step() / 2 ** 32;
}
