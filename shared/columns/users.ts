import { ByteReader, ByteWriter, widthOf } from './bytes.ts';
import type { UserData } from './column.ts';
import { readFrame, writeFrame } from './frame.ts';

const HIGH = 0x1_0000_0000;

/** @param users hashes are integers in [0, 2^48), ascending and distinct within a row */
export function encodeUsers(users: UserData): Uint8Array {
  const counts = new Uint32Array(users.rows);
  let widest = 0;
  for (let row = 0; row < users.rows; row++) {
    counts[row] = (users.offsets[row + 1] ?? 0) - (users.offsets[row] ?? 0);
    widest = Math.max(widest, counts[row] ?? 0);
  }
  const width = widthOf(widest);
  const writer = new ByteWriter().u8(width).u32(users.hashes.length).array(counts, width);
  writer.array(
    users.hashes.map((hash) => hash % HIGH),
    4,
  );
  writer.array(
    users.hashes.map((hash) => Math.floor(hash / HIGH)),
    2,
  );
  return writeFrame('users', users.rows, writer.finish());
}

/**
 * @param where names the column in errors
 * @throws CorruptColumnError when the bytes are not such a column
 */
export function decodeUsers(bytes: Uint8Array, where: string): UserData {
  const { rows, payload } = readFrame('users', bytes, where);
  const reader = new ByteReader(payload, where);
  const width = reader.u8();
  const total = reader.u32();
  const counts = reader.codes(rows, width);
  const low = reader.codes(total, 4);
  const high = reader.codes(total, 2);
  reader.end();
  const offsets = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) offsets[row + 1] = (offsets[row] ?? 0) + (counts[row] ?? 0);
  if (offsets[rows] !== total) throw reader.corrupt(`${offsets[rows]} users counted where ${total} are stored`);
  const hashes = new Float64Array(total);
  for (let i = 0; i < total; i++) hashes[i] = (high[i] ?? 0) * HIGH + (low[i] ?? 0);
  return { rows, offsets, hashes };
}
