import type { Codes } from './column.ts';
import { CorruptColumnError } from './frame.ts';

/** Bytes per value of an array in a column: unsigned integers of 1, 2 or 4 bytes, or float64. */
export type Width = 1 | 2 | 4 | 8;

/** @returns the narrowest width that holds every integer of [0, max] */
export function widthOf(max: number): Width {
  if (max < 0x100) return 1;
  if (max < 0x1_0000) return 2;
  return max < 0x1_0000_0000 ? 4 : 8;
}

/** Appends the parts of a payload, little-endian. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  u8(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  u32(value: number): this {
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
    return this;
  }

  f64(value: number): this {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
    return this;
  }

  /** Appends an integer of [0, 2^63) with 7 bits per byte, low bits first (LEB128). */
  varint(value: number): this {
    this.#reserve(9);
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

  /**
   * Appends `values` at the given width. Integers of 2 and 4 bytes are written plane by plane (all lowest bytes, then all second bytes, …), because
   * the high planes are nearly constant and compress well.
   */
  array(values: ArrayLike<number>, width: Width): this {
    if (width === 8) return this.#floats(values);
    this.#reserve(values.length * width);
    for (let shift = 0; shift < 8 * width; shift += 8) {
      for (let i = 0; i < values.length; i++) this.#bytes[this.#length++] = (values[i] ?? 0) >>> shift;
    }
    return this;
  }

  /** Number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** @returns all bytes in a buffer of their own */
  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }

  #floats(values: ArrayLike<number>): this {
    const floats = Float64Array.from(values);
    return this.raw(new Uint8Array(floats.buffer));
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Reads what ByteWriter wrote. Every read past the end throws a CorruptColumnError that names the column. */
export class ByteReader {
  readonly #where: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array, where: string) {
    this.#where = where;
    // a Uint8Array even where a Buffer is given: loops over columns must not see one more kind of array
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

  /** @returns the integer of [0, 2^63) that `ByteWriter.varint` wrote. @throws CorruptColumnError if it has more bits */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
      if (scale === 2 ** 63) throw this.corrupt('an integer has more than 63 bits');
    }
  }

  /** @returns `count` ascending integers that are stored as gaps, each a varint */
  ascending(count: number): Float64Array {
    if (count > this.#bytes.length - this.#at) throw this.corrupt('it ends too early'); // each gap takes a byte at least
    const values = new Float64Array(count);
    let value = 0;
    for (let i = 0; i < count; i++) {
      const byte = this.#bytes[this.#at] ?? 0x80; // at the end, `varint` throws
      if (byte < 0x80) {
        value += byte;
        this.#at++;
      } else {
        value += this.varint();
      }
      values[i] = value;
    }
    return values;
  }

  /** @returns all bytes that are left */
  rest(): Uint8Array {
    return this.raw(this.#bytes.length - this.#at);
  }

  raw(length: number): Uint8Array {
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** @returns integers of 1, 2 or 4 bytes that `ByteWriter.array` wrote */
  codes(length: number, width: number): Codes {
    if (width === 1) return this.raw(length);
    if (width === 2) return joinTwoPlanes(this.raw(2 * length), length);
    if (width === 4) return joinFourPlanes(this.raw(4 * length), length);
    throw this.corrupt(`codes cannot have ${width} bytes`);
  }

  /** @returns what `ByteWriter.array` wrote: integers of 1, 2 or 4 bytes, or doubles of 8 bytes */
  floats(length: number, width: number): Float64Array {
    if (width === 8) return new Float64Array(new Uint8Array(this.raw(8 * length)).buffer);
    return new Float64Array(this.codes(length, width));
  }

  /** @returns the error, to be thrown by the caller */
  corrupt(reason: string): CorruptColumnError {
    return new CorruptColumnError(this.#where, reason);
  }

  /** @throws CorruptColumnError unless everything was read */
  end(): void {
    if (this.#at !== this.#bytes.length) throw this.corrupt(`${this.#bytes.length - this.#at} bytes too many`);
  }

  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw this.corrupt('it ends too early');
    this.#at = from + length;
    return from;
  }
}

// Below, planes.length is width × length, so every index is in range. Both functions return the same kind of array: loops over codes then see
// only two kinds and stay fast (V8 stops specializing at five).
function joinTwoPlanes(planes: Uint8Array, length: number): Uint32Array {
  const joined = new Uint32Array(length);
  for (let i = 0; i < length; i++) joined[i] = (planes[i] ?? 0) | ((planes[length + i] ?? 0) << 8);
  return joined;
}

function joinFourPlanes(planes: Uint8Array, length: number): Uint32Array {
  const joined = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const low = (planes[i] ?? 0) | ((planes[length + i] ?? 0) << 8);
    joined[i] = low | ((planes[2 * length + i] ?? 0) << 16) | ((planes[3 * length + i] ?? 0) << 24);
  }
  return joined;
}
