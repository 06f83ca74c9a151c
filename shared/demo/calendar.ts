const DAY_MS = 86_400_000;

/** Days are `YYYY-MM-DD` throughout: calendar days of the platform's zone, never instants. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** @returns the `count` days that end with `last`, ascending. */
export function daysUpTo(last: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count));
}

/** @returns 0 for Sunday … 6 for Saturday. */
export function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

/** @returns 1 … 12 */
export function monthOf(day: string): number {
  return Number(day.slice(5, 7));
}

export function dayOfYear(day: string): number {
  return Math.round((Date.parse(`${day}T00:00:00Z`) - Date.parse(`${day.slice(0, 4)}-01-01T00:00:00Z`)) / DAY_MS) + 1;
}
