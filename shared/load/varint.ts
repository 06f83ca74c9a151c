/** The most bytes that writeVarint writes. */
export const MAX_VARINT_BYTES = 8;

/** Writes an integer in [0, 2^53) seven bits a byte, the least significant first. @returns where it ends */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x8000_0000) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest = Math.floor(rest / 128);
  }
  while (rest >= 0x80) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

/** Reads what writeVarint wrote; `at` moves on. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let place = 128; byte >= 0x80; place *= 128) {
      byte = bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * place;
    }
    return value;
  }

  /** @returns the next `count` bytes as one integer, the least significant first */
  fixed(count: number): number {
    let value = 0;
    for (let i = count - 1; i >= 0; i--) value = value * 256 + (this.#bytes[this.at + i] ?? 0);
    this.at += count;
    return value;
  }
}
