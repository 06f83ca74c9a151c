/** Control and format characters, which a terminal may interpret, which are invisible or change the direction of text, and line separators. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @returns the text with control and format characters, as in names that somebody else made, as escapes such as `\u001b` */
export function escapeControls(text: string): string {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(CONTROLS, (character) => character.split('').map(toEscape).join(''));
}

/** @returns a name or value that somebody else wrote as a JSON string, so that no reader takes it for a part of the text around it */
export function quoteText(text: string): string {
  return escapeControls(JSON.stringify(text));
}
