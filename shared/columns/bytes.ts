import type { Codes, Values } from './column.ts';
import { CorruptColumnError } from './frame.ts';

/** Widths in bytes of the arrays that columns are made of; 8 is float64. */
export type Width = 1 | 2 | 4 | 8;

/** @returns the narrowest width that holds every integer of [0, max]. */
export function widthOf(max: number): Width {
  if (max < 0x100) return 1;
  if (max < 0x1_0000) return 2;
  return max < 0x1_0000_0000 ? 4 : 8;
}

/** Writes the little-endian parts of a payload one after the other; arrays start at multiples of their width. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  u8(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  u32(value: number): this {
    this.#reserve(4);
    new DataView(this.#bytes.buffer).setUint32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  f64(value: number): this {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
    return this;
  }

  /** An integer of [0, 2^53), 7 bits a byte, low bits first. */
  varint(value: number): this {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** `values` at the given width, aligned to it. */
  array(values: ArrayLike<number>, width: Width): this {
    while (this.#length % width !== 0) this.u8(0);
    const packed = packAs(values, width);
    return this.raw(new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength));
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

function packAs(values: ArrayLike<number>, width: Width): Values {
  if (width === 1) return Uint8Array.from(values);
  if (width === 2) return Uint16Array.from(values);
  return width === 4 ? Uint32Array.from(values) : Float64Array.from(values);
}

/** Reads what ByteWriter wrote; every read past the end is a CorruptColumnError that names the column. */
export class ByteReader {
  readonly where: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array, where: string) {
    this.where = where;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
      if (scale > 2 ** 56) throw this.corrupt('an integer of more than 53 bits');
    }
  }

  raw(length: number): Uint8Array {
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  codes(length: number, width: number): Codes {
    if (width === 1) return this.#array(Uint8Array, length, 1);
    if (width === 2) return this.#array(Uint16Array, length, 2);
    if (width === 4) return this.#array(Uint32Array, length, 4);
    throw this.corrupt(`codes of ${width} bytes`);
  }

  values(length: number, width: number): Values {
    return width === 8 ? this.#array(Float64Array, length, 8) : this.codes(length, width);
  }

  corrupt(reason: string): CorruptColumnError {
    return new CorruptColumnError(this.where, reason);
  }

  /** @throws CorruptColumnError unless everything was read. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw this.corrupt(`${this.#bytes.length - this.#at} bytes too many`);
  }

  #array<T extends Values>(
    type: { new (buffer: ArrayBufferLike, offset: number, length: number): T },
    length: number,
    width: number,
  ): T {
    while (this.#at % width !== 0) this.#take(1);
    const from = this.#take(length * width);
    const start = this.#bytes.byteOffset + from;
    if (start % width === 0) return new type(this.#bytes.buffer, start, length);
    return new type(this.#bytes.slice(from, from + length * width).buffer, 0, length);
  }

  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw this.corrupt('it ends too early');
    this.#at = from + length;
    return from;
  }
}
