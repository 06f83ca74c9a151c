/** Nested structs and lists; the metadata of a file have 8 levels of them. */
const MAX_DEPTH = 16;
const MAX_VARINT_BYTES = 10;
/** Limits texts below the second level, such as the statistics of chunks. A decimal among them is read in quadratic time. */
const MAX_STATISTIC_BYTES = 1 << 16;
/** A value of the metadata takes about 200 bytes of memory. A file has about 25 for each chunk. */
const MAX_VALUES = 1 << 21;

/** Types of Thrift's compact protocol. */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12];

/**
 * Checks a struct that the library is about to read. The library allocates a list of the length that the struct states, reads structs recursively, and
 * integers of any length in quadratic time.
 * @throws Error if the struct has not all bytes that it states, or would take far more memory or time than its bytes
 */
export function checkThrift(bytes: Uint8Array, offset: number): void {
  new ThriftWalk(bytes, offset).struct(0);
}

class ThriftWalk {
  readonly #bytes: Uint8Array;
  #offset: number;
  #values = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  struct(depth: number): void {
    for (;;) {
      const field = this.#byte();
      const type = field & 0x0f;
      if (type === STOP) return;
      if (field >> 4 === 0) this.#varint();
      if (type !== TRUE && type !== FALSE) this.#value(type, depth);
    }
  }

  #value(type: number, depth: number): void {
    if (++this.#values > MAX_VALUES) throw new Error(`parquet metadata of more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) throw new Error(`parquet metadata of more than ${MAX_DEPTH} levels`);
    if (type === BYTE || type === TRUE || type === FALSE) this.#skip(1);
    else if (type === I16 || type === I32 || type === I64) this.#varint();
    else if (type === DOUBLE) this.#skip(8);
    else if (type === BINARY) this.#binary(depth);
    else if (type === LIST) this.#list(depth + 1);
    else if (type === STRUCT) this.struct(depth + 1);
    else throw new Error(`parquet metadata are damaged: type ${type}`);
  }

  #binary(depth: number): void {
    const length = this.#varint();
    // Not at depth 2 and above: there the library does not convert texts. They are texts in structs of a list of the metadata, such as column names, and the
    // statistics of a page header.
    if (depth > 2 && length > MAX_STATISTIC_BYTES)
      throw new Error(`parquet statistics with a value of ${length} bytes`);
    this.#skip(length);
  }

  #list(depth: number): void {
    const head = this.#byte();
    const length = head >> 4 === 15 ? this.#varint() : head >> 4;
    if (length > this.#bytes.length - this.#offset) throw new Error(`parquet metadata with a list of ${length} values`);
    for (let i = 0; i < length; i++) this.#value(head & 0x0f, depth);
  }

  #byte(): number {
    const byte = this.#bytes[this.#offset++];
    if (byte === undefined) throw new Error('parquet metadata end too early');
    return byte;
  }

  #skip(length: number): void {
    this.#offset += length;
    if (this.#offset > this.#bytes.length) throw new Error('parquet metadata end too early');
  }

  #varint(): number {
    let value = 0;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new Error(`parquet metadata with an integer of more than ${MAX_VARINT_BYTES} bytes`);
  }
}
