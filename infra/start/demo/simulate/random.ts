/** A seeded source of random values: the same seed gives the same values in every run (sfc32). */
export interface Random {
  /** @returns a number in [0, 1) */
  next(): number;
  /** @returns an integer in [from, to) */
  int(from: number, to: number): number;
  /** @returns true with the given probability */
  chance(probability: number): boolean;
  /** @returns one of the items, all equally likely */
  pick<T>(items: readonly T[]): T;
  /** @returns `count` different items (all of them if there are fewer), in the order of the list */
  sample<T>(items: readonly T[], count: number): T[];
  /** @returns an integer from the Poisson distribution; its cost grows with the mean, so means should stay below 50 */
  count(mean: number): number;
}

/** @param seed any text */
export function createRandom(seed: string): Random {
  const next = createStream(seed);
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => itemAt(items, int(0, items.length)),
    sample: (items, count) => {
      const chosen = [];
      for (const [index, item] of items.entries()) {
        const missing = count - chosen.length;
        if (next() * (items.length - index) < missing) chosen.push(item);
      }
      return chosen;
    },
    count: (mean) => {
      const limit = Math.exp(-mean);
      let events = 0;
      for (let product = next(); product > limit; product *= next()) events += 1;
      return events;
    },
  };
}

/** Draws one of several items by weight; a draw takes one random number and a binary search. */
type Draw<T> = (random: Random) => T;

export function drawByWeight<T>(items: readonly T[], weightOf: (item: T, index: number) => number): Draw<T> {
  const ends = new Float64Array(items.length);
  let total = 0;
  items.forEach((item, index) => {
    total += weightOf(item, index);
    ends[index] = total;
  });
  return (random) => {
    const target = random.next() * total;
    let low = 0;
    let high = items.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > target) high = middle;
      else low = middle + 1;
    }
    return itemAt(items, low);
  };
}

/** The n-th item has the weight 1 / n^`exponent` (Zipf). */
export function drawByRank<T>(items: readonly T[], exponent: number): Draw<T> {
  return drawByWeight(items, (_, index) => 1 / (index + 1) ** exponent);
}

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index} in a list of ${items.length}`);
  return item;
}

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
