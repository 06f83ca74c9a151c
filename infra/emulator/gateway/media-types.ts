/** @returns whether a header's media type (parameters aside) falls under `pattern`, whose parts may be `*`. */
export function matchesMediaType(header: string | undefined, pattern: string): boolean {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  if (type === undefined) return false;
  const parts = type.split('/');
  const wanted = pattern.toLowerCase().split('/');
  return parts.length === 2 && wanted.every((part, index) => part === '*' || part === parts[index]);
}
