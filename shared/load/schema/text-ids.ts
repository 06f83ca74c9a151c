import { hash } from 'node:crypto';
import { Invalid } from './value-types.ts';

/** @returns the integer by which an id that is a text is stored: the first 53 bits of its SHA-256, but never 0, which is no id */
export function integerOf(text: string): number {
  return Math.max(1, Number(hash('sha256', text, 'buffer').readBigUInt64BE() >> 11n));
}

/** A number that stands alone, but not after "integer". */
const NUMBER = /(?<=^|[\s(])(?<!integer )[1-9]\d*(?![\w.-]*\w)/g;

/** The ids of listings that are texts. */
export class TextIds {
  readonly #texts: Map<number, string>;

  /** @param texts those that are stored, by their integers */
  constructor(texts: Iterable<readonly [id: number, text: string]>) {
    this.#texts = new Map(texts);
  }

  /** @returns the integer of the text, or the error if another text has the same */
  integerOf(text: string): number | Invalid {
    const id = integerOf(text);
    const other = this.#texts.get(id) ?? text;
    if (other === text) return id;
    return new Invalid(`${text} has the same integer as ${other}, integer ${id}: change one of them`);
  }

  /** @returns the integer of the text, whose messages have the text from now on; or the error */
  add(text: string): number | Invalid {
    const id = this.integerOf(text);
    if (typeof id === 'number') this.#texts.set(id, text);
    return id;
  }

  /** @returns the text of the id; undefined if it is given as an integer */
  textOf(id: unknown): string | undefined {
    return typeof id === 'number' ? this.#texts.get(id) : undefined;
  }

  /** @returns the message with the texts in place of their integers */
  nameIn(message: string): string {
    return message.replace(NUMBER, (id) => this.#texts.get(Number(id)) ?? id);
  }
}
