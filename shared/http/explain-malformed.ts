import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';

/** What is usually wrong, by the parser's code. */
const CAUSES: Readonly<Record<string, string>> = {
  CommaExpected: ': a comma before it is missing',
  ColonExpected: ': a colon before it is missing',
  InvalidCommentToken: ': comments are not allowed',
  InvalidSymbol: ': names and texts need quotation marks; without them there are only true, false, null and numbers',
  UnexpectedEndOfString: ': the text has a line break, or no quotation mark at its end',
};

/** @returns where the text stops being JSON, and probably why; undefined if that is not found. Errors of `JSON.parse` do not always have a place */
export function explainMalformed(text: string): string | undefined {
  const causeOf = (code: string, offset: number) => {
    const at = text.charAt(offset);
    if (at === '') return ': it ends before all brackets are closed';
    if ('}]'.includes(at) && text.slice(0, offset).trimEnd().endsWith(',')) return ': remove the comma before it';
    return /['‘’“”`]/.test(at) ? ': quotation marks must be double: "' : (CAUSES[code] ?? '');
  };
  let found: string | undefined;
  const onError: JSONVisitor['onError'] = (error, offset, _length, line, character) => {
    found ??= `The body is not well-formed JSON at line ${line + 1}, column ${character + 1}${causeOf(printParseErrorCode(error), offset)}.`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // nested too deeply
  }
  return found;
}
