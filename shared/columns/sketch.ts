/** The number of smallest hashes that an estimate is computed from. */
const NOMINAL = 4096;
/** Larger counts are estimates. */
export const MAX_EXACT = 2 * NOMINAL;
/** Marks a free slot. */
const EMPTY = -1;
/** Hashes are integers in [0, HASH_RANGE). */
export const HASH_RANGE = 2 ** 48;

/** Relative standard error of an estimate; counts up to 8,192 are exact. */
export const SKETCH_STANDARD_ERROR = 1 / Math.sqrt(NOMINAL - 2);

/**
 * The distinct shoppers of one group. Up to 8,192 hashes are all retained and the count is exact; above that, this is a theta sketch (Dasgupta, Lang,
 * Rhodes, Thaler: "A Framework for Estimating Stream Expression Cardinalities", 2016; the bottom-k estimator of Bar-Yossef et al. 2002) of the
 * 4,096 smallest hashes. The estimate does not depend on the order in which hashes are added, so equal reports give equal estimates.
 */
export class DistinctSketch {
  #slots: Float64Array;
  #count = 0;
  /** Only hashes below this are retained. It is HASH_RANGE while the sketch is exact. */
  #theta: number;
  /** The estimate, once it was computed; filters, sorts and pages ask for it. */
  #estimated: number | undefined;

  /**
   * @param below the caller adds only hashes below this until it calls `widen`; by default it adds all
   * @param expected the number of hashes to make room for at once, at least 1
   * @throws RangeError if `expected` is below 1
   */
  constructor(below: number = HASH_RANGE, expected = 4) {
    if (!(expected >= 1)) throw new RangeError(`a sketch cannot be made for ${expected} hashes`); // `add` needs a free slot
    this.#theta = below;
    this.#slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * expected))).fill(EMPTY);
  }

  /** Whether hashes above those accepted so far would leave the estimate as it is. */
  get isSettled(): boolean {
    return this.#count >= NOMINAL;
  }

  /** The number of slots, each of which has memory for one hash; at most half are in use. */
  get capacity(): number {
    return this.#slots.length;
  }

  /** Accepts hashes below `below` from now on; has no effect on a settled sketch. */
  widen(below: number): void {
    if (this.isSettled) return;
    this.#theta = Math.max(this.#theta, below);
    this.#estimated = undefined;
  }

  /** @param hash an integer in [0, 2^48) */
  add(hash: number): void {
    if (hash >= this.#theta) return;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const found = slots[slot];
      if (found === hash) return;
      if (found === EMPTY) break;
      slot = (slot + 1) & mask;
    }
    slots[slot] = hash;
    this.#count++;
    this.#estimated = undefined;
    if (this.#count * 2 > slots.length) this.#makeRoom();
  }

  /** Adds the shoppers of the other sketch. */
  merge(other: DistinctSketch): void {
    this.#lowerTheta(other.#theta);
    for (const hash of other.#slots) {
      if (hash !== EMPTY) this.add(hash);
    }
  }

  /** To be called only if the sketch is settled or accepts all hashes. @returns the number of distinct shoppers, an integer; exact up to 8,192, and more where there are more */
  estimate(): number {
    if (this.#theta === HASH_RANGE) return this.#count;
    if (this.#estimated === undefined) {
      const kth = this.#sorted()[NOMINAL - 1] ?? this.#theta;
      this.#estimated = Math.max(MAX_EXACT + 1, Math.round((NOMINAL - 1) / (kth / HASH_RANGE)));
    }
    return this.#estimated;
  }

  #makeRoom(): void {
    if (this.#count > MAX_EXACT) {
      const smallest = this.#sorted();
      this.#refill(smallest.subarray(0, NOMINAL), this.#slots.length);
      this.#theta = smallest[NOMINAL] ?? this.#theta;
    } else {
      this.#refill(this.#present(), this.#slots.length * 2);
    }
  }

  #lowerTheta(theta: number): void {
    if (theta >= this.#theta) return;
    this.#theta = theta;
    this.#estimated = undefined;
    this.#refill(
      this.#present().filter((hash) => hash < theta),
      this.#slots.length,
    );
  }

  #present(): Float64Array {
    return this.#slots.filter((hash) => hash !== EMPTY);
  }

  #sorted(): Float64Array {
    return this.#present().sort();
  }

  #refill(hashes: Float64Array, size: number): void {
    const slots = new Float64Array(size).fill(EMPTY);
    const mask = size - 1;
    for (const hash of hashes) {
      let slot = hash & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = hash;
    }
    this.#slots = slots;
    this.#count = hashes.length;
  }
}
