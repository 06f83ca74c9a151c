/** A struct of Thrift by field number: integers, booleans as 0 and 1, and structs; members of other types are passed over. */
export type ThriftStruct = ReadonlyMap<number, number | ThriftStruct>;

/** Thrift's compact protocol, as far as the page headers of Parquet have it. */
export class ThriftReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** @throws Error where the bytes end early, or hold a type that page headers have not */
  struct(): ThriftStruct {
    const members = new Map<number, number | ThriftStruct>();
    let id = 0;
    for (;;) {
      const head = this.#byte();
      const type = head & 0x0f;
      if (type === 0) return members;
      id = head >> 4 === 0 ? this.#zigzag() : id + (head >> 4);
      const value = this.#value(type);
      if (value !== undefined) members.set(id, value);
    }
  }

  #value(type: number): number | ThriftStruct | undefined {
    switch (type) {
      case 1: // true
        return 1;
      case 2: // false
        return 0;
      case 3: // byte
        return this.#byte();
      case 4: // integers of 16, 32 and 64 bits
      case 5:
      case 6:
        return this.#zigzag();
      case 7: // double
        this.at += 8;
        return undefined;
      case 8: // bytes
        this.at += this.#varint();
        return undefined;
      case 12:
        return this.struct();
      default:
        throw new Error(`thrift type ${type} in a page header`);
    }
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #varint(): number {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * place;
      if (byte < 0x80) return value;
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error('a page header ends early');
    return byte;
  }
}
