/** A place in a text; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a text stops being the beginning of any JSON text. */
export interface JsonError extends Place {
  /** Whether the text is right as far as it goes, and only ends too early. */
  readonly isAtEnd: boolean;
}

/** @returns where the text, which is not JSON, goes wrong; nothing of what it says */
export function locateJsonError(text: string): JsonError {
  const at = offsetOfError(text) ?? bisect(text);
  return { ...placeOf(text, at), isAtEnd: at === text.length };
}

/** @returns the place of the character at the offset */
export function placeOf(text: string, at: number): Place {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

/**
 * The parser tells the offset of most errors in its message, but of an unexpected token only the characters around it. What comes before the
 * token is the longest beginning that only ends too early: some 20 parses of a megabyte, each of which stops where the text goes wrong.
 */
function bisect(text: string): number {
  let right = 0;
  let wrong = text.length;
  while (wrong - right > 1) {
    const middle = (right + wrong) >>> 1;
    if (offsetOfError(text.slice(0, middle)) === middle) right = middle;
    else wrong = middle;
  }
  return right;
}

/** @returns the text's length where it is JSON or only ends too early, undefined where the parser does not say */
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
