import type { MeasureData, TableValues } from '../../columns/column.ts';

/** Adds each row's value to the sum of its group. Each kind of array has a loop of its own, so that none sees two kinds. */
export function addRows(sums: Float64Array, groups: Uint32Array, data: MeasureData): void {
  if (data.kind === 'constant') {
    if (data.value !== 0) addConstant(sums, groups, data.value);
    return;
  }
  const own = data.kind === 'sparse' ? groupsAt(groups, data.positions) : groups;
  if (data.values instanceof Float64Array) addFloats(sums, own, data.values);
  else if (data.values instanceof Uint8Array) addBytes(sums, own, data.values);
  else addTable(sums, own, data.values);
}

function groupsAt(groups: Uint32Array, positions: Uint32Array): Uint32Array {
  const own = new Uint32Array(positions.length);
  for (let i = 0; i < positions.length; i++) own[i] = groups[positions[i] ?? 0] ?? 0;
  return own;
}

function addBytes(sums: Float64Array, groups: Uint32Array, values: Uint8Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + (values[row] ?? 0);
  }
}

// In the loops, rows are in range, and groups are indices of the sums, which `reserve` has made large enough.

function addConstant(sums: Float64Array, groups: Uint32Array, value: number): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + value;
  }
}

function addFloats(sums: Float64Array, groups: Uint32Array, values: Float64Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + (values[row] ?? 0);
  }
}

function addTable(sums: Float64Array, groups: Uint32Array, { codes, table }: TableValues): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + (table[codes[row] ?? 0] ?? 0);
  }
}
