/** @returns whether arrays and objects are nested deeper than `max` in the text, which need not be valid JSON. Takes linear time, without recursion. */
export function isNestedDeeper(text: string, max: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') isInString = !isInString;
    else if (isInString && char === '\\') i += 1;
    else if (!isInString && (char === '[' || char === '{')) depth += 1;
    else if (!isInString && (char === ']' || char === '}')) depth -= 1;
    if (depth > max) return true;
  }
  return false;
}
