import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import type { SortKey } from './sort-keys.ts';

/**
 * @returns the groups at [offset, offset + size) of the sorted order. If the page ends in the first quarter, the groups after it are not sorted.
 * @param groups group numbers, in any order
 * @param keys in descending priority; no two groups are equal in all of them
 * @throws ApiError DEADLINE_EXCEEDED
 */
export function sortAndPage(
  groups: Uint32Array,
  keys: readonly SortKey[],
  offset: number,
  size: number,
  deadline: Deadline = NO_DEADLINE,
): Uint32Array {
  if (offset >= groups.length) return new Uint32Array(0);
  const end = Math.min(offset + size, groups.length);
  const [first = noKey, ...rest] = keys;
  const compare = compareBy(first, rest, deadline);
  const sorted = end * 4 < groups.length ? smallest(groups, end, compare, first) : groups.slice().sort(compare);
  return sorted.subarray(offset, end);
}

/** Only a single group has no keys. */
const noKey: SortKey = () => 0;

function compareBy(first: SortKey, rest: readonly SortKey[], deadline: Deadline): (a: number, b: number) => number {
  return (a, b) => {
    deadline.checkStep();
    const left = first(a);
    const right = first(b);
    if (left < right) return -1;
    if (left > right) return 1;
    for (const key of rest) {
      const difference = key(a) - key(b);
      if (difference < 0) return -1; // two nulls are equal: Infinity - Infinity is NaN, so neither condition holds
      if (difference > 0) return 1;
    }
    return 0; // a group that is compared with itself: no two groups are equal in all keys
  };
}

/** @returns the first `count` groups in order. A heap of that size holds the first groups so far, with the last of them at its root. */
function smallest(
  groups: Uint32Array,
  count: number,
  compare: (a: number, b: number) => number,
  firstKey: SortKey,
): Uint32Array {
  const heap = groups.slice(0, count);
  for (let i = (count >> 1) - 1; i >= 0; i--) siftDown(heap, i, compare);
  let last = firstKey(heap[0] ?? 0);
  for (let i = count; i < groups.length; i++) {
    const group = groups[i] ?? 0;
    // most groups come after the page by their first key
    if (firstKey(group) > last || compare(group, heap[0] ?? 0) >= 0) continue;
    heap[0] = group;
    siftDown(heap, 0, compare);
    last = firstKey(heap[0] ?? 0);
  }
  return heap.sort(compare);
}

function siftDown(heap: Uint32Array, from: number, compare: (a: number, b: number) => number): void {
  let at = from;
  const moved = heap[at] ?? 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compare(heap[child + 1] ?? 0, heap[child] ?? 0) > 0) child++;
    if (compare(heap[child] ?? 0, moved) <= 0) break;
    heap[at] = heap[child] ?? 0;
    at = child;
  }
  heap[at] = moved;
}
