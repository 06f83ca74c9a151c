import { memoryOf } from '../lib/memory-of.ts';

/** What a column that is kept was decoded to, by the function that decoded it. */
interface Kept {
  readonly decoded: Map<unknown, unknown>;
  /** Told the size of what is decoded. */
  readonly onDecode: (bytes: number) => void;
}

/** By the encoded column: what it was decoded to goes with it. */
const KEPT = new WeakMap<Uint8Array, Kept>();

/** Keeps what the column is decoded to from now on, as long as somebody keeps the column. */
export function keepDecoded(column: Uint8Array, onDecode: (bytes: number) => void): void {
  KEPT.set(column, { decoded: new Map(), onDecode });
}

/** Keeps what a part of a column is decoded to with the column, if that is kept. */
export function keepPart(column: Uint8Array, part: Uint8Array): void {
  const kept = KEPT.get(column);
  if (kept !== undefined) keepDecoded(part, kept.onDecode);
}

/** @returns what `decode` returns, which nobody may change; of a column that is kept, what it returned the first time */
export function decodeColumn<T extends object>(
  column: Uint8Array,
  where: string,
  decode: (bytes: Uint8Array, where: string) => T,
): T {
  const kept = KEPT.get(column);
  if (kept === undefined) return decode(column, where);
  const found = kept.decoded.get(decode);
  if (found !== undefined) return found as T; // `decode` is the key of its own results only
  const data = decode(column, where);
  kept.decoded.set(decode, data);
  kept.onDecode(memoryOf(data));
  return data;
}
