/** Bytes of the key of `shopperHasher`. */
export const USER_ID_KEY_BYTES = 16;

/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012), a hash that nobody without the key can calculate: so nobody who reads the stored hashes can find the ids
 * by trying them. Of its 64 bits, the lower 48 are used.
 * @param key 16 secret bytes
 * @returns a function that returns the hash of a shopper id, an integer in [0, 2^48). Among ten million shoppers, about 0.2 pairs are expected to collide
 * @throws RangeError if it has another length
 */
export function shopperHasher(key: Uint8Array): (id: string) => number {
  if (key.length !== USER_ID_KEY_BYTES)
    throw new RangeError(`a key of ${key.length} bytes: it must have ${USER_ID_KEY_BYTES}`);
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  const k0 = view.getInt32(0, true);
  const k1 = view.getInt32(4, true);
  const k2 = view.getInt32(8, true);
  const k3 = view.getInt32(12, true);
  return (id) => sipHash(encodeInto(id), k0, k1, k2, k3);
}

const ENCODER = new TextEncoder();
let scratch = new Uint8Array(256);

/** Writes the id's UTF-8 bytes into `scratch`. For short ASCII ids this loop is faster than the encoder. @returns how many bytes */
function encodeInto(id: string): number {
  if (id.length * 3 > scratch.length) scratch = new Uint8Array(id.length * 3);
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    if (unit >= 0x80) return ENCODER.encodeInto(id, scratch).written;
    scratch[i] = unit;
  }
  return id.length;
}

/**
 * Hashes the first `length` bytes of `scratch`. Each of the algorithm's four 64-bit words is two 32-bit integers here, because BigInt
 * is slow: `a0` is the lower half of v0, `a1` the upper one, and so on.
 * `k0` and `k1` are the lower and upper half of the key's first word, `k2` and `k3` of its second.
 */
function sipHash(length: number, k0: number, k1: number, k2: number, k3: number): number {
  let a0 = k0 ^ 0x70736575;
  let a1 = k1 ^ 0x736f6d65;
  let b0 = k2 ^ 0x6e646f6d;
  let b1 = k3 ^ 0x646f7261;
  let c0 = k0 ^ 0x6e657261;
  let c1 = k1 ^ 0x6c796765;
  let d0 = k2 ^ 0x79746573;
  let d1 = k3 ^ 0x74656462;
  const blocks = length >>> 3;
  // the whole blocks, the last one with the length, and the finalization
  for (let block = 0; block <= blocks + 1; block++) {
    const isFinal = block > blocks;
    const m0 = isFinal ? 0 : wordAt(block * 8, length);
    const m1 = isFinal ? 0 : wordAt(block * 8 + 4, length) | (block === blocks ? length << 24 : 0);
    d0 ^= m0;
    d1 ^= m1;
    if (isFinal) c0 ^= 0xff;
    for (let round = isFinal ? 4 : 2; round > 0; round--) {
      let low = (a0 + b0) | 0;
      a1 = (a1 + b1 + carry(low, b0)) | 0;
      const b = (b0 << 13) | (b1 >>> 19);
      b1 = ((b1 << 13) | (b0 >>> 19)) ^ a1;
      b0 = b ^ low;
      a0 = a1; // rotated by 32 bits
      a1 = low;
      low = (c0 + d0) | 0;
      c1 = (c1 + d1 + carry(low, d0)) | 0;
      c0 = low;
      let d = (d0 << 16) | (d1 >>> 16);
      d1 = ((d1 << 16) | (d0 >>> 16)) ^ c1;
      d0 = d ^ c0;
      low = (a0 + d0) | 0;
      a1 = (a1 + d1 + carry(low, d0)) | 0;
      a0 = low;
      d = (d0 << 21) | (d1 >>> 11);
      d1 = ((d1 << 21) | (d0 >>> 11)) ^ a1;
      d0 = d ^ a0;
      low = (c0 + b0) | 0;
      c1 = (c1 + b1 + carry(low, b0)) | 0;
      const rotated = (b0 << 17) | (b1 >>> 15);
      b1 = ((b1 << 17) | (b0 >>> 15)) ^ c1;
      b0 = rotated ^ low;
      c0 = c1; // rotated by 32 bits
      c1 = low;
    }
    a0 ^= m0;
    a1 ^= m1;
  }
  const low = a0 ^ b0 ^ c0 ^ d0;
  const high = a1 ^ b1 ^ c1 ^ d1;
  return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0);
}

/** @returns the four bytes of `scratch` at `offset`, little-endian; those at and after `length` are 0 */
function wordAt(offset: number, length: number): number {
  let word = 0;
  for (let i = Math.min(offset + 4, length) - 1; i >= offset; i--) word |= (scratch[i] ?? 0) << (8 * (i - offset));
  return word;
}

/** @param low the lower 32 bits of the sum of `addend` and another unsigned integer of 32 bits @returns 1 if the sum exceeds 32 bits, else 0 */
function carry(low: number, addend: number): number {
  return low >>> 0 < addend >>> 0 ? 1 : 0;
}
