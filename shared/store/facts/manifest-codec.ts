import { ByteReader, ByteWriter } from '../../columns/bytes.ts';
import { HASH_BYTES, PACKS, packOf } from '../../columns/runs.ts';
import type { ColumnEntry, DayRows, RunEntry } from '../../layout/partitions.ts';
import { countChunks } from '../table/chunks.ts';
import { compress, decompress } from '../table/compress.ts';

/** A day of a stored run. */
export interface StoredDay extends DayRows {
  /** Rows, and pairs of a shopper and a row. */
  readonly size: number;
  /** Of the rows; it shows a load whether the day has changed. */
  readonly hash: Uint8Array;
}

/** A run in a stored manifest. */
export interface StoredRun extends RunEntry {
  readonly days: readonly StoredDay[];
}

const FORMAT = 1;

/**
 * The format is zstd with a checksum over:
 * - the format version (1 byte),
 * - as varints: the number of column names, for each name (sorted) its length and UTF-8 bytes, the number of runs,
 * - for each run: a bit for each of PACKS that is one item (1 byte), version, number of days (varints); for each day the day, rows, hours, size (varints), hash
 *   (8 bytes); and for each column name 0 if the run lacks it, else bytes + 1 and the number of distinct values, or of pairs of a shopper and a row (varints).
 *
 * @returns the encoded manifest
 */
export function encodeManifest(runs: readonly StoredRun[]): Uint8Array {
  const names = [...new Set(runs.flatMap((run) => [...run.columns.keys()]))].sort();
  const writer = new ByteWriter().u8(FORMAT).varint(names.length);
  for (const name of names) {
    const text = new TextEncoder().encode(name);
    writer.varint(text.length).raw(text);
  }
  writer.varint(runs.length);
  for (const run of runs) {
    const packed = [...run.columns].flatMap(([name, { chunks }]) => (chunks === 0 ? packOf(name) : []));
    const bits = PACKS.reduce((sum, pack, index) => sum + (packed.includes(pack) ? 1 << index : 0), 0);
    writer.u8(bits).varint(run.version).varint(run.days.length);
    for (const { day, rows, hours, size, hash } of run.days)
      writer.varint(day).varint(rows).varint(hours).varint(size).raw(hash);
    for (const name of names) {
      const column = run.columns.get(name);
      if (column === undefined) writer.varint(0);
      else writer.varint(column.bytes + 1).varint(column.distinct);
    }
  }
  return compress(writer.finish());
}

/** @returns the runs that `encodeManifest` encoded. @throws Error naming `where` if the bytes are damaged or have another format */
export function decodeManifest(bytes: Uint8Array, where: string): StoredRun[] {
  const reader = new ByteReader(decompress(bytes, where), where);
  if (reader.u8() !== FORMAT) throw new Error(`${where} has an unknown format`);
  const names = Array.from({ length: reader.varint() }, () => new TextDecoder().decode(reader.raw(reader.varint())));
  const runs = Array.from({ length: reader.varint() }, () => readRun(reader, names));
  reader.end();
  return runs;
}

function readRun(reader: ByteReader, names: readonly string[]): StoredRun {
  const packs = reader.u8();
  const isPacked = (name: string) => ((packs >> PACKS.indexOf(packOf(name))) & 1) === 1;
  const version = reader.varint();
  const days = Array.from({ length: reader.varint() }, () => {
    const [day, rows, hours, size] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()];
    return { day, rows, hours, size, hash: reader.raw(HASH_BYTES).slice() };
  });
  const columns = new Map<string, ColumnEntry>();
  for (const name of names) {
    const size = reader.varint();
    if (size === 0) continue;
    columns.set(name, {
      bytes: size - 1,
      chunks: isPacked(name) ? 0 : countChunks(size - 1),
      distinct: reader.varint(),
    });
  }
  return {
    day: days[0]?.day ?? 0,
    version,
    rows: days.reduce((sum, day) => sum + day.rows, 0),
    days,
    columns,
  };
}
