/** A seeded source of random choices. The same seed gives the same choices on every machine. */
export interface Random {
  /** @returns a number in [0, 1) */
  next(): number;
  /** @returns an integer in [0, below); the larger `skew` is, the likelier are small integers (1: all are equally likely) */
  int(below: number, skew?: number): number;
  /** @returns true with the given probability */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[], skew?: number): T;
  /** @returns `count` different items in random order; all items where there are fewer */
  sample<T>(items: readonly T[], count: number): T[];
}

/** mulberry32 (Tommy Ettinger, public domain). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number, skew = 1): number => Math.floor(below * next() ** skew);
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items, skew = 1) => itemAt(items, int(items.length, skew)),
    sample: (items, count) => {
      const rest = [...items];
      const taken: typeof rest = [];
      while (rest.length > 0 && taken.length < count) taken.push(...rest.splice(int(rest.length), 1));
      return taken;
    },
  };
}

function itemAt<T>(items: readonly T[], at: number): T {
  if (at >= items.length) throw new Error('nothing to pick from');
  return items[at] as T; // within the bounds checked above
}
