/** A source of numbers that are the same in every run: each seed has its own stream (sfc32). */
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
  /** @returns how often something happened that is expected `mean` times (Poisson); fast for means below 50 */
  count(mean: number): number;
}

/** @param seed any text: equal texts give equal streams */
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
        const stillWanted = count - chosen.length;
        if (next() * (items.length - index) < stillWanted) chosen.push(item);
      }
      return chosen;
    },
    count: (mean) => {
      const limit = Math.exp(-mean);
      let happened = 0;
      for (let product = next(); product > limit; product *= next()) happened += 1;
      return happened;
    },
  };
}

/** Draws items by weight: `draw()` costs one number and a binary search. */
export interface Draw<T> {
  readonly items: readonly T[];
  draw(random: Random): T;
}

export function drawByWeight<T>(items: readonly T[], weightOf: (item: T, index: number) => number): Draw<T> {
  const ends = new Float64Array(items.length);
  let total = 0;
  items.forEach((item, index) => {
    total += weightOf(item, index);
    ends[index] = total;
  });
  return {
    items,
    draw: (random) => {
      const target = random.next() * total;
      let low = 0;
      let high = items.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] ?? 0) > target) high = middle;
        else low = middle + 1;
      }
      return itemAt(items, low);
    },
  };
}

/** The first item is the most frequent, the n-th has 1/n^`exponent` of its share (Zipf). */
export function drawByRank<T>(items: readonly T[], exponent = 1): Draw<T> {
  return drawByWeight(items, (_, index) => 1 / (index + 1) ** exponent);
}

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing to choose at ${index} of ${items.length} items`);
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
  for (let warm = 0; warm < 12; warm++) step();
  return () => step() / 2 ** 32;
}
