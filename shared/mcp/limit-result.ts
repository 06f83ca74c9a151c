import { escapeControls } from '../lib/quote-text.ts';

/** The maximum length of a result, so that it does not fill an agent's context. */
export const MAX_CHARACTERS = 50_000;

/** @returns the lines of as many of `count` items, at least one, as fit into a result */
export function fitLines(count: number, linesOf: (count: number) => string[]): string[] {
  let shown = count;
  while (shown > 1 && linesOf(shown).join('\n').length > MAX_CHARACTERS) shown--;
  return linesOf(shown);
}

/**
 * @returns the lines as one text, cut if it is too long. Control characters are escaped, because hosts print results on terminals, and so that a name stays
 * within its line
 */
export function joinLines(lines: readonly string[]): string {
  const text = lines.map(escapeControls).join('\n');
  const note = `…\nThe result is cut at ${MAX_CHARACTERS} characters.`;
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - note.length)}${note}` : text;
}
