/** The first and last of consecutive days, as day numbers. */
export type DayRange = readonly [first: number, last: number];

/** @returns the days as ascending ranges */
export function rangesOf(days: Iterable<number>): DayRange[] {
  const ranges: [number, number][] = [];
  for (const day of [...days].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === day - 1) last[1] = day;
    else if (last?.[1] !== day) ranges.push([day, day]);
  }
  return ranges;
}

/** @returns whether the day is in one of the ranges */
export const hasDay = (ranges: readonly DayRange[], day: number): boolean =>
  ranges.some(([first, last]) => first <= day && day <= last);

/** @returns the days of the ranges */
export function daysOfRanges(ranges: readonly DayRange[]): number[] {
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

/** @returns a short text, in which each number is the distance from the one before. @example formatRanges([[20000, 20030], [20032, 20032]]) === '20000+30,2+0' */
export function formatRanges(ranges: readonly DayRange[]): string {
  return ranges.map(([first, last], at) => `${first - (ranges[at - 1]?.[1] ?? 0)}+${last - first}`).join(',');
}

/** @returns the ranges that `formatRanges` formatted */
export function parseRanges(text: string): DayRange[] {
  let day = 0;
  if (text === '') return [];
  return text.split(',').map((range) => {
    const [distance, length] = range.split('+');
    const first = day + Number(distance);
    day = first + Number(length);
    return [first, day];
  });
}
