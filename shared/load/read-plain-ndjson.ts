import { CellBatch, CellBounds } from './cells.ts';
import type { LineBlock } from './text-blocks.ts';

const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const NULL = Buffer.from('null');
/** No number of so many characters has more digits than a double keeps. */
const MAX_CHARACTERS = 15;

/** What all lines of a block have in common: everything but their values. */
interface Frame {
  readonly names: readonly string[];
  /** What stands before each value, from the end of the value before. */
  readonly before: readonly Uint8Array[];
  /** What stands after the last value, without the line end. */
  readonly after: Uint8Array;
}

/** What the values of a column are: null is either. */
const TEXT = 1;
const NUMBER = 2;

/** A member up to its value, which is not looked at yet. */
const MEMBER = /[ \t]*[{,][ \t]*"([^"\\\p{Cc}]*)"[ \t]*:[ \t]*/uy;
const VALUE = /null|"[^"\\]*"|[\d.]+/y;
const END = /[ \t]*\}[ \t\r]*$/y;

/**
 * Reads lines of JSON that differ in nothing but their values, as programs write them: plain numbers, texts without escapes, nulls, each column of one kind. No value
 * is made before it is asked for.
 * @param block whether its texts are UTF-8 is for the caller to check
 * @returns undefined where any line is otherwise: then all of them are to be parsed
 */
export function readPlainNdjson({ bytes, line: firstLine }: LineBlock): CellBatch | undefined {
  const frame = findFrame(bytes);
  if (frame === undefined) return undefined;
  const kinds = new Uint8Array(frame.names.length);
  const rows = new CellBounds(frame.names.length);
  let line = firstLine;
  for (let at = 0; at < bytes.length; at++, line++) {
    if (bytes[at] === NEWLINE) continue;
    at = readLine(bytes, at, frame, kinds, rows);
    if (at < 0 || (at < bytes.length && bytes[at] !== NEWLINE)) return undefined;
    rows.add(line);
  }
  return new CellBatch(bytes, frame.names, rows, (column) => kinds[column] === NUMBER);
}

/** @returns the frame of the first line, where that is an object whose members are all different */
function findFrame(bytes: Uint8Array): Frame | undefined {
  const end = bytes.indexOf(NEWLINE);
  const line = Buffer.from(bytes.subarray(0, end < 0 ? bytes.length : end)).toString('utf8');
  const names: string[] = [];
  const before: Uint8Array[] = [];
  let at = 0;
  for (let member = matchAt(MEMBER, line, at); member !== null; member = matchAt(MEMBER, line, at)) {
    const [text, name = ''] = member;
    if (text.trimStart().startsWith('{') !== (at === 0)) return undefined;
    const [value] = matchAt(VALUE, line, at + text.length) ?? [];
    if (value === undefined) return undefined;
    names.push(name);
    before.push(Buffer.from(text));
    at += text.length + value.length;
  }
  const [after] = matchAt(END, line, at) ?? [];
  if (after === undefined || names.length === 0 || new Set(names).size < names.length) return undefined;
  return { names, before, after: Buffer.from(after) };
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Writes the bounds of the line's values as those of the next row. @returns where the line ends, or -1 where it is not framed so */
function readLine(bytes: Uint8Array, from: number, frame: Frame, kinds: Uint8Array, rows: CellBounds): number {
  const { before, after } = frame;
  const { bounds, step } = rows;
  let next = rows.rows * step;
  let at = from;
  for (let column = 0; column < before.length; column++) {
    at = skip(bytes, at, before[column] as Uint8Array); // column < length
    const kind = kindAt(bytes, at);
    const begin = kind === TEXT ? at + 1 : at;
    if (kind === 0) at = skip(bytes, at, NULL);
    else if (kinds[column] !== kind && kinds[column] !== 0) return -1;
    else at = kind === TEXT ? endOfText(bytes, begin) : endOfNumber(bytes, begin);
    if (at < 0) return -1;
    kinds[column] ||= kind;
    bounds[next++] = begin;
    bounds[next++] = kind === 0 ? begin : at;
    if (kind === TEXT) at++; // its quote
  }
  return skip(bytes, at, after);
}

/** @returns the kind of the value that begins so, if it is a plain one; 0 may be null */
function kindAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0; // beyond the end, or where nothing was found
  if (byte === QUOTE) return TEXT;
  return byte >= ZERO && byte <= NINE ? NUMBER : 0;
}

/** @returns where the expected bytes end, or -1 where others stand */
function skip(bytes: Uint8Array, at: number, expected: Uint8Array): number {
  if (at < 0) return -1;
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return -1;
  return at + expected.length;
}

/** @returns where the closing quote is, or -1 where the text has escapes, or does not end */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number; // at < length
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < SPACE) return -1;
  }
  return -1;
}

/** @returns where the number ends, or -1 where it is none of JSON, or not a plain one */
function endOfNumber(bytes: Uint8Array, from: number): number {
  const whole = endOfDigits(bytes, from);
  if (bytes[from] === ZERO && whole > from + 1) return -1;
  const end = bytes[whole] === POINT ? endOfDigits(bytes, whole + 1) : whole;
  return end === whole + 1 || end - from > MAX_CHARACTERS ? -1 : end;
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at++;
  return at;
}
