/** Up to this capacity, each quantity has a part of the array of its own; above it, the sums of a group are interleaved, which costs a copy then and one at the end. */
const MAX_GROUPS_PER_ARRAY = 300_000;
/** Doubles per line of the processor's cache. */
const LINE_DOUBLES = 8;

/** The sum of a group and slot is at `group * groupStride + slot * slotStride`. */
export interface Layout {
  readonly capacity: number;
  readonly groupStride: number;
  readonly slotStride: number;
}

/** @returns the layout for so many slots and groups */
export function layOut(slots: number, capacity: number): Layout {
  if (slots <= 1 || capacity <= MAX_GROUPS_PER_ARRAY) return { capacity, groupStride: 1, slotStride: capacity };
  return { capacity, groupStride: interleavedStride(slots), slotStride: 1 };
}

/** @returns the doubles per group where there are many groups: padded so that a group is in as few lines of the cache as possible */
export function interleavedStride(slots: number): number {
  if (slots <= 1) return slots;
  return slots <= LINE_DOUBLES ? 2 ** Math.ceil(Math.log2(slots)) : Math.ceil(slots / LINE_DOUBLES) * LINE_DOUBLES;
}

/** @returns the length of an array with the layout */
export function sizeOf(slots: number, { capacity, groupStride }: Layout): number {
  return capacity * (groupStride === 1 ? slots : groupStride);
}

/** Copies the sums of the first `groups` groups to `target`. Where sums are interleaved, it goes from group to group, as they lie in memory. */
export function copySums<T extends Float64Array | Uint32Array>(
  sums: T,
  from: Layout,
  target: T,
  to: Layout,
  slots: number,
  groups: number,
): void {
  if (from.groupStride === 1 && to.groupStride === 1) {
    for (let slot = 0; slot < slots; slot++) {
      const offset = slot * from.slotStride;
      target.set(sums.subarray(offset, offset + groups), slot * to.slotStride);
    }
    return;
  }
  for (let group = 0; group < groups; group++) {
    for (let slot = 0; slot < slots; slot++)
      target[group * to.groupStride + slot * to.slotStride] = sums[
        group * from.groupStride + slot * from.slotStride
      ] as number; // in range of both
  }
}
