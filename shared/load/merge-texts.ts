import { TextCodes } from './key-codes.ts';

/** Brings together the texts of several coders, each of which has codes of its own. */
export class MergedTexts {
  readonly texts = new TextCodes();
  readonly #codes: number[][] = [];

  /** @param newTexts of one coder, in the order of its codes */
  add(coder: number, newTexts: readonly string[]): void {
    const codes = this.#codes[coder] ?? [0]; // no value stays no value
    this.#codes[coder] = codes;
    for (const text of newTexts) codes.push(this.texts.encode(text));
  }

  /** Replaces the coder's codes by those of all. */
  translate(coder: number, column: Float64Array): void {
    const codes = this.#codes[coder] ?? [];
    for (let row = 0; row < column.length; row++) column[row] = codes[column[row] ?? 0] ?? 0;
  }
}
