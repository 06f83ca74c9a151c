import { hash } from 'node:crypto';
import { type Cell, Invalid } from './value-types.ts';

/** @returns the integer by which an id that is a text is stored: the first 53 bits of its SHA-256, but never 0, which is no id */
export function integerOf(text: string): number {
  return Math.max(1, Number(hash('sha256', text, 'buffer').readBigUInt64BE() >> 11n));
}

/** The ids of a load's listings that are texts. */
export class TextIds {
  readonly #integers = new Map<string, number>();
  readonly #texts = new Map<Cell | undefined, string>();
  readonly #digest: (text: string) => number;

  constructor(digest = integerOf) {
    this.#digest = digest;
  }

  /** @returns the integer of the text, or the error if another text has the same */
  add(text: string): number | Invalid {
    const known = this.#integers.get(text);
    if (known !== undefined) return known;
    const id = this.#digest(text);
    const other = this.#texts.get(id);
    if (other !== undefined) return new Invalid(`${text} has the same integer as ${other}, ${id}: change one of them`);
    this.#integers.set(text, id);
    this.#texts.set(id, text);
    return id;
  }

  /** @returns the text of the id; undefined if it is given as an integer */
  textOf(id: Cell | undefined): string | undefined {
    return this.#texts.get(id);
  }

  /** @returns the id as the files have it */
  show(id: Cell): string {
    return this.#texts.get(id) ?? String(id);
  }
}
