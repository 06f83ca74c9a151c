import type { FactTable } from '../catalog/tables.ts';
import { type CodedRows, type EncodedRows, encodeSummedDay, sumDay } from '../columns/build-day.ts';
import { ByteWriter } from '../columns/bytes.ts';
import { type Cube, cubesOf, rollUpDay } from '../columns/rollup.ts';
import { joinPieces } from '../lib/join-pieces.ts';
import { type ActivityDay, checkActivity } from './check-activity.ts';
import { storedColumns } from './code-facts.ts';
import { cubeShape } from './encode-month.ts';
import type { Finding } from './fact-warnings.ts';
import { readBlocks } from './read-blocks.ts';
import { writeBlock } from './write-block.ts';

/** One day of a fact table, as a load has read it. */
export interface SpilledDay {
  readonly table: FactTable;
  /** Of the month, 1–31. */
  readonly day: number;
  readonly rows: number;
  /** How many bytes the blocks of its rows take. */
  readonly length: number;
  /** What rows of activity are checked against; absent of other tables. */
  readonly activity?: ActivityDay;
}

/** What becomes of one day's rows. */
export interface EncodedSpill {
  readonly table: FactTable;
  readonly day: number;
  readonly encoded: EncodedRows;
  /** The day's part of the month's rollups. */
  readonly rolled: ReadonlyMap<Cube, RolledDay>;
  /** What is doubtful about the rows, those with equal keys summed. */
  readonly findings: readonly Finding[];
}

/** Rows of one day by the keys of a cube, as a block. */
export interface RolledDay {
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/**
 * Sums, encodes and rolls up days.
 * @param bytes the blocks of all days, one day after another
 * @returns the days in their order; all their bytes lie in one buffer, which can be given to another thread
 */
export function encodeSpilled(
  days: readonly SpilledDay[],
  bytes: Uint8Array,
): { days: EncodedSpill[]; buffer: ArrayBuffer } {
  let end = 0;
  const encoded = days.map((day) => {
    const from = end;
    end += day.length;
    return encodeOne(day, bytes.subarray(from, end));
  });
  return inOneBuffer(encoded);
}

function encodeOne({ table, day, rows, activity }: SpilledDay, bytes: Uint8Array): EncodedSpill {
  const facts = sumDay(table, readBlocks(storedColumns(table), rows, bytes));
  const rolled = cubesOf(table).map((cube) => [cube, blockOfCube(cube, day, facts)] as const);
  const findings = activity === undefined ? [] : checkActivity(facts, activity);
  return { table, day, encoded: encodeSummedDay(facts), rolled: new Map(rolled), findings };
}

/** @returns the facts of one day by the cube's keys */
export function blockOfCube(cube: Cube, day: number, facts: CodedRows): RolledDay {
  const summed = rollUpDay(cube, day, facts);
  const writer = new ByteWriter();
  writeBlock(writer, cubeShape(cube), summed);
  return { rows: summed.rows, bytes: writer.finish() };
}

/** A message between threads costs by its buffers, of which the columns of a day would be dozens. */
function inOneBuffer(days: readonly EncodedSpill[]): { days: EncodedSpill[]; buffer: ArrayBuffer } {
  const pieces = days.flatMap(({ encoded, rolled }) => [...encoded.columns.values(), ...rolled.values()]);
  const joined = joinPieces(pieces.map((it) => it.bytes));
  let end = 0;
  const moved = <T extends { readonly bytes: Uint8Array }>(piece: T): T => {
    const from = end;
    end += piece.bytes.length;
    return { ...piece, bytes: joined.subarray(from, end) };
  };
  const share = <K, T extends { readonly bytes: Uint8Array }>(of: ReadonlyMap<K, T>) =>
    new Map([...of].map(([name, piece]) => [name, moved(piece)]));
  return {
    days: days.map(({ encoded: { rows, columns }, rolled, ...day }) => ({
      ...day,
      encoded: { rows, columns: share(columns) },
      rolled: share(rolled),
    })),
    buffer: joined.buffer,
  };
}
