/** Wider integers are not read: no dictionary has so many values. */
export const MAX_BITS = 24;

/**
 * Reads integers of few bits in Parquet's hybrid of runs and packed bits (https://parquet.apache.org/docs/file-format/data-pages/encodings/).
 * @param at where the first run begins; none goes beyond `end`
 * @param bits of each integer, at most `MAX_BITS`
 * @param out is filled with the integers; bits that are left over, since they are packed by eight integers, are not looked at
 * @throws Error where there are too few
 */
export function readHybrid(bytes: Uint8Array, at: number, end: number, bits: number, out: Uint32Array): void {
  let next = at;
  for (let filled = 0; filled < out.length; ) {
    let head = 0;
    for (let place = 1; ; place *= 128) {
      const byte = bytes[next++] ?? 0;
      head += (byte & 0x7f) * place;
      if (byte < 0x80) break;
    }
    const isPacked = head % 2 === 1;
    const count = Math.min(out.length - filled, isPacked ? (head - 1) * 4 : head / 2);
    const used = isPacked ? Math.ceil((count * bits) / 8) : Math.ceil(bits / 8);
    if (next + used > end) throw new Error('a page ends early');
    if (isPacked) {
      unpack(bytes, next, bits, out, filled, filled + count);
      next += ((head - 1) / 2) * bits;
    } else {
      let value = 0;
      for (let i = 0; i < used; i++) value |= (bytes[next++] ?? 0) << (8 * i);
      out.fill(value, filled, filled + count);
    }
    filled += count;
  }
}

function unpack(bytes: Uint8Array, at: number, bits: number, out: Uint32Array, from: number, to: number): void {
  const mask = 2 ** bits - 1;
  for (let i = from, bit = 8 * at; i < to; i++, bit += bits) {
    const byte = bit >>> 3;
    const low = (bytes[byte] ?? 0) | ((bytes[byte + 1] ?? 0) << 8);
    const high = (bytes[byte + 2] ?? 0) | ((bytes[byte + 3] ?? 0) << 8);
    out[i] = ((low | (high << 16)) >>> (bit & 7)) & mask;
  }
}
