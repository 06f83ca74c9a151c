/** A position in a text; line and column are counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The first position at which a text can no longer be continued to valid JSON. */
export interface JsonError extends TextPosition {
  /** Whether the whole text is a valid beginning that ends too early. */
  readonly isAtEnd: boolean;
}

/**
 * @param text that JSON.parse rejects
 * @returns where the error is, without any content of the text
 */
export function locateJsonError(text: string): JsonError {
  const offset = offsetOfError(text) ?? bisect(text);
  return { ...positionAt(text, offset), isAtEnd: offset === text.length };
}

/** @returns the position of the character at the offset */
export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * The messages of JSON.parse contain the offset of most errors; for an unexpected token, they contain only the characters around it. The token
 * follows the longest prefix that is a valid beginning. A megabyte takes some 20 parses, none of which goes beyond the error.
 */
function bisect(text: string): number {
  let valid = 0;
  let invalid = text.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    if (offsetOfError(text.slice(0, middle)) === middle) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** @returns the offset of the error; the text's length if the text is JSON or a valid beginning; undefined if the parser's message has no offset */
function offsetOfError(text: string): number | undefined {
  try {
    JSON.parse(text);
    return text.length;
  } catch (error) {
    const { message } = error as SyntaxError; // JSON.parse throws nothing else
    if (message.startsWith('Unexpected end')) return text.length;
    const [, offset] = / at position (\d+)/.exec(message.replaceAll(/".*"/gs, '')) ?? [];
    return offset === undefined ? undefined : Number(offset);
  }
}
