import type { MeasureData, TableValues } from '../../columns/column.ts';
import { toTable } from '../../columns/measures.ts';

/** Adds each row's value to the sum of its group. Each kind of array has a loop of its own, so that none sees two kinds. */
export function addRows(sums: Float64Array, groups: Uint32Array, data: MeasureData): void {
  if (data.kind === 'constant') {
    if (data.value !== 0) addConstant(sums, groups, data.value);
    return;
  }
  const own = data.kind === 'sparse' ? data.positions.map((row) => groups[row] as number) : groups; // positions are rows
  if (data.values instanceof Float64Array) addFloats(sums, own, data.values);
  else addTable(sums, own, toTable(data.values));
}

// In the loops, rows are in range, and groups are indices of the sums, which `reserve` has made large enough.

function addConstant(sums: Float64Array, groups: Uint32Array, value: number): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] as number;
    sums[group] = (sums[group] as number) + value;
  }
}

function addFloats(sums: Float64Array, groups: Uint32Array, values: Float64Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] as number;
    sums[group] = (sums[group] as number) + (values[row] as number);
  }
}

function addTable(sums: Float64Array, groups: Uint32Array, { codes, table }: TableValues): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] as number;
    sums[group] = (sums[group] as number) + (table[codes[row] as number] as number);
  }
}
