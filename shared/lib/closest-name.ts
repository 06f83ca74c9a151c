/** Longer than every name of the API. Longer texts have no suggestion: they are not typing errors, and the edit distance takes quadratic time. */
export const MAX_NAME_LENGTH = 40;

/** @returns the name to which at most a third of the characters of `typed` must be edited, or one; undefined if there is none */
export function findClosest(typed: string, allowed: readonly string[]): string | undefined {
  if (typed.length > MAX_NAME_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const name of allowed) {
    const distance = editDistance(typed, name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** @returns the minimum number of characters to insert, delete or replace, or of neighbours to swap, to turn `a` into `b` */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (beforePrevious[j - 2] ?? 0) + 1 : replace;
      current.push(Math.min(replace, swap, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
