/** Control characters, which a terminal may obey, and those that change the direction of the text around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Writes one line. Control characters, as in names of files that somebody else made, are written as `\u001b`. */
export function writeLine(stream: { write(text: string): unknown }, text: string): void {
  const escapeControl = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  stream.write(`${text.replaceAll(CONTROLS, escapeControl)}\n`);
}
