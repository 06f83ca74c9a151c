const SEQUENCE = 0x30;
const INTEGER = 0x02;
const P256_BYTES = 32;

/**
 * @param der an ECDSA signature over P-256 in the encoding of KMS: SEQUENCE { INTEGER r, INTEGER s } (RFC 3279, 2.2.3)
 * @returns the signature in the encoding of JWS: r‖s, 32 bytes each (RFC 7518, 3.4)
 * @throws Error if the bytes are not such a signature
 */
export function derToRaw(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(2 * P256_BYTES);
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) throw malformed();
  const next = readInteger(der, 2, raw, 0);
  if (readInteger(der, next, raw, P256_BYTES) !== der.length) throw malformed();
  return raw;
}

/**
 * Copies the integer at `offset` of `der` to the 32 bytes of `raw` that start at `target`.
 * @returns the offset of the next element
 */
function readInteger(der: Uint8Array, offset: number, raw: Uint8Array, target: number): number {
  const length = der[offset + 1];
  if (der[offset] !== INTEGER || length === undefined || length === 0) throw malformed();
  const end = offset + 2 + length;
  // DER omits leading zeros, but puts one before a first byte ≥ 0x80
  const start = der[offset + 2] === 0 ? offset + 3 : offset + 2;
  if (end > der.length || end - start > P256_BYTES) throw malformed();
  raw.set(der.subarray(start, end), target + P256_BYTES - (end - start));
  return end;
}

const malformed = () => new Error('the signature is not a DER signature over P-256');
