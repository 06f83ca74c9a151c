const SEQUENCE = 0x30;
const INTEGER = 0x02;
const P256_BYTES = 32;

/**
 * @param der an ECDSA signature over P-256 as KMS answers it: SEQUENCE { INTEGER r, INTEGER s } (RFC 3279, 2.2.3)
 * @returns the same as JWS wants it: r‖s, 32 bytes each (RFC 7518, 3.4)
 * @throws Error where the bytes are no such signature
 */
export function derToRaw(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(2 * P256_BYTES);
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) throw malformed();
  const next = readInteger(der, 2, raw, 0);
  if (readInteger(der, next, raw, P256_BYTES) !== der.length) throw malformed();
  return raw;
}

/** Writes the integer at `at` into the 32 bytes of `raw` from `into` on. @returns where the next element starts */
function readInteger(der: Uint8Array, at: number, raw: Uint8Array, into: number): number {
  const length = der[at + 1];
  if (der[at] !== INTEGER || length === undefined || length === 0) throw malformed();
  const end = at + 2 + length;
  // DER puts a zero before a first byte ≥ 0x80, and leaves leading zeros out
  const start = der[at + 2] === 0 ? at + 3 : at + 2;
  if (end > der.length || end - start > P256_BYTES) throw malformed();
  raw.set(der.subarray(start, end), into + P256_BYTES - (end - start));
  return end;
}

const malformed = () => new Error('the signature is no DER signature over P-256');
