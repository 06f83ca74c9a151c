/** The number of smallest hashes that an estimate is computed from. */
const NOMINAL = 4096;
/** Larger counts are estimates. */
export const MAX_EXACT = 2 * NOMINAL;
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
  /** Ascending and distinct; the first #count are in use. */
  #sorted = new Float64Array(0);
  #count = 0;
  /** What was added since; the first #pending are in use. */
  #tail: Float64Array;
  #pending = 0;
  #isTailSorted = true;
  /** Only hashes below this are retained. It is HASH_RANGE while the sketch is exact. */
  #theta: number;

  /**
   * @param below the caller adds only hashes below this until it calls `widen`; by default it adds all
   * @param expected the number of hashes to make room for at once, at least 1
   * @throws RangeError if `expected` is below 1
   */
  constructor(below: number = HASH_RANGE, expected = 4) {
    if (!(expected >= 1)) throw new RangeError(`a sketch cannot be made for ${expected} hashes`); // `add` needs room for one
    this.#theta = below;
    this.#tail = new Float64Array(expected);
  }

  /** Whether hashes above those accepted so far would leave the estimate as it is. */
  get isSettled(): boolean {
    this.#unite();
    return this.#count >= NOMINAL;
  }

  /** Accepts hashes below `below` from now on; has no effect on a settled sketch. */
  widen(below: number): void {
    if (!this.isSettled) this.#theta = Math.max(this.#theta, below);
  }

  /** @param hash an integer in [0, 2^48) */
  add(hash: number): void {
    if (hash >= this.#theta) return;
    if (this.#pending === this.#tail.length) this.#unite();
    if (this.#pending > 0 && hash < (this.#tail[this.#pending - 1] ?? 0)) this.#isTailSorted = false;
    this.#tail[this.#pending++] = hash;
  }

  /** Adds the shoppers of the other sketch. */
  merge(other: DistinctSketch): void {
    other.#unite();
    this.#unite();
    this.#theta = Math.min(this.#theta, other.#theta);
    this.#include(other.#sorted.subarray(0, other.#count));
  }

  /** To be called only if the sketch is settled or accepts all hashes. @returns the number of distinct shoppers, an integer; exact up to 8,192, and more where there are more */
  estimate(): number {
    this.#unite();
    if (this.#theta === HASH_RANGE) return this.#count;
    const kth = this.#count < NOMINAL ? this.#theta : (this.#sorted[NOMINAL - 1] ?? this.#theta);
    return Math.max(MAX_EXACT + 1, Math.round((NOMINAL - 1) / (kth / HASH_RANGE)));
  }

  /** Moves the tail into what is sorted. The next tail is as long, so that each hash is moved few times. */
  #unite(): void {
    if (this.#pending === 0) return;
    const tail = this.#tail.subarray(0, this.#pending);
    if (!this.#isTailSorted) tail.sort();
    this.#include(tail);
    this.#pending = 0;
    this.#isTailSorted = true;
    if (this.#tail.length < this.#count) this.#tail = new Float64Array(this.#count);
  }

  /** @param hashes ascending, at most MAX_EXACT */
  #include(hashes: Float64Array): void {
    let count = uniteSorted(this.#sorted.subarray(0, this.#count), hashes, this.#theta);
    if (count > MAX_EXACT) {
      this.#theta = UNITED[NOMINAL] ?? this.#theta;
      count = NOMINAL;
    }
    if (count > this.#sorted.length) this.#sorted = new Float64Array(Math.min(MAX_EXACT, 2 * count));
    this.#sorted.set(UNITED.subarray(0, count));
    this.#count = count;
  }
}

/** The last result of `uniteSorted`; never kept. */
const UNITED = new Float64Array(2 * MAX_EXACT);

/** Writes the distinct values of two ascending arrays that are below the limit into UNITED. @returns their number */
function uniteSorted(a: Float64Array, b: Float64Array, below: number): number {
  let [i, j, count, last] = [0, 0, 0, -1];
  for (;;) {
    const [left, right] = [a[i] ?? below, b[j] ?? below];
    const next = Math.min(left, right);
    if (left <= right) i++;
    else j++;
    if (next >= below) return count;
    if (next === last) continue;
    UNITED[count++] = next;
    last = next;
  }
}
