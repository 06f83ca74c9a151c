/** Longer texts get no suggestion: they are no typing mistake, and the distance costs length × length. */
const LONGEST = 40;

/** @returns the allowed name that `text` was probably meant to be, or undefined where none is near. */
export function suggestName(text: unknown, allowed: readonly string[]): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > LONGEST) return undefined;
  const wanted = text.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of allowed) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Levenshtein: the least number of characters to insert, drop or change to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
