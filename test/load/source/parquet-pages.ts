/** Makes Parquet files of one column `x` from given pages, also pages that no writer makes. Headers are in Thrift's compact protocol. */

type Bytes = readonly number[];

export const TYPES = { boolean: 0, int32: 1, int64: 2, byteArray: 6 } as const;
export const CODECS = { none: 0, gzip: 2, brotli: 4, lz4: 5, zstd: 6, lz4Raw: 7 } as const;
export const ENCODINGS = {
  plain: 0,
  rle: 3,
  deltaInteger: 5,
  deltaLength: 6,
  deltaText: 7,
  dictionary: 8,
} as const;
const CONVERTED = { utf8: 0, list: 3, decimal: 5 } as const;
const [TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 5, 6, 8, 9, 12];

/** While a file is made: how many integers are in it so far, and which one is replaced by which bytes. */
let integers = 0;
let replaced: { readonly at: number; readonly bytes: Bytes } | undefined;

/** @returns what `make` returns, with its integer `at` as these bytes, and how many integers it has */
export function replaceInteger<T>(
  at: number,
  bytes: Bytes,
  make: () => T,
): { readonly made: T; readonly count: number } {
  integers = 0;
  replaced = { at, bytes };
  try {
    return { made: make(), count: integers };
  } finally {
    replaced = undefined;
  }
}

export function varint(value: number): Bytes {
  return integers++ === replaced?.at ? replaced.bytes : encode(value);
}

function encode(value: number): Bytes {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...encode(Math.floor(value / 0x80))];
}

export const zigzag = (value: number) => varint(value >= 0 ? 2 * value : -2 * value - 1);

/** A field of a struct: how far its id is from the one before, its type, its bytes. */
const field = (step: number, type: number, bytes: Bytes): Bytes => [(step << 4) | type, ...bytes];
const i32 = (step: number, value: number) => field(step, I32, zigzag(value));
const i64 = (step: number, value: number) => field(step, I64, zigzag(value));
const text = (value: string): Bytes => [...varint(value.length), ...Buffer.from(value)];
const list = (step: number, type: number, items: readonly Bytes[]) =>
  field(step, LIST, [(items.length << 4) | type, ...items.flat()]);
const struct = (...fields: readonly Bytes[]): Bytes => [...fields.flat(), 0];

/** @param id of the field that holds the header of the page's type; the checksum is the field 4 */
const page = (type: number, body: Bytes, id: number, header: Bytes, crc?: number, unpacked = body.length): Bytes => [
  ...struct(
    ...[i32(1, type), i32(1, unpacked), i32(1, body.length)],
    ...(crc === undefined ? [field(id - 3, STRUCT, header)] : [i32(1, crc | 0), field(id - 4, STRUCT, header)]),
  ),
  ...body,
];

/** `u32` length, then the runs. */
export const levels = (...runs: number[]): Bytes => [...littleEndian(runs.length), ...runs];
/** A run of one value: how often, and which. */
export const run = (times: number, value: number): number[] => [...varint(2 * times), value];
export const littleEndian = (value: number): Bytes => [
  value & 255,
  (value >> 8) & 255,
  (value >> 16) & 255,
  value >>> 24,
];
/** The delta encoding of `count` integers from `first` on in equal steps: the remainders, of `bits` bits each, are 0. */
export function differences(count: number, first: number, step: number, bits = 0): Bytes {
  const blocks = Math.ceil((count - 1) / 128);
  const block = [...zigzag(step), bits, bits, bits, bits, ...Array<number>(16 * bits).fill(0)];
  return [...varint(128), ...varint(4), ...varint(count), ...zigzag(first), ...Array(blocks).fill(block).flat()];
}

export const byteArray = (value: string): Bytes => [...littleEndian(value.length), ...Buffer.from(value)];

/** @param unpacked the bytes of the page as its header has them */
export const dictionaryPage = (
  count: number,
  body: Bytes,
  unpacked?: number,
  encoding: number = ENCODINGS.plain,
): Bytes => page(2, body, 7, struct(i32(1, count), i32(1, encoding)), undefined, unpacked);

/** @param unpacked the bytes of the page as its header has them */
export const dataPage = (values: number, encoding: number, body: Bytes, crc?: number, unpacked?: number): Bytes =>
  page(0, body, 5, struct(i32(1, values), i32(1, encoding), i32(1, 3), i32(1, 3)), crc, unpacked);

/**
 * @param header the fields of the second version's header, by their ids from 1 on; undefined ones are left out
 * @param unpacked the bytes of the page as its header has them, if the values are compressed
 */
export function dataPageV2(header: readonly (number | undefined)[], body: Bytes, unpacked?: number): Bytes {
  let last = 0;
  const fields = header.flatMap((value, i) => {
    if (value === undefined) return [];
    const step = i + 1 - last;
    last = i + 1;
    return [i32(step, value)];
  });
  const compressed = field(7 - last, unpacked === undefined ? FALSE : TRUE, []);
  return page(3, body, 8, struct(...fields, compressed), undefined, unpacked);
}

export interface OneColumn {
  readonly type: number;
  /** Whether each row has an optional list of optional values, and no value itself. */
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  /** Whether each row has any number of values, without a list. */
  readonly isRepeated?: boolean;
  /** Scale and precision. */
  readonly decimal?: readonly [number, number];
  readonly rows: number;
  readonly pages: readonly Bytes[];
  readonly hasDictionary?: boolean;
  /** How the bodies of pages are compressed: not at all by default. */
  readonly codec?: number;
  /** How many columns `x` the file has, all with these pages. */
  readonly times?: number;
  /** What follows the column as its offset index. */
  readonly offsetIndex?: Bytes;
  /** Whether the root is repeated, as some writers have it. */
  readonly isRootRepeated?: boolean;
}

export function parquetFile(column: OneColumn): Uint8Array<ArrayBuffer> {
  const {
    type,
    isRequired = false,
    isRepeated = false,
    decimal,
    rows,
    pages,
    hasDictionary = false,
    times = 1,
    codec = CODECS.none,
    isList = false,
    offsetIndex = [],
    isRootRepeated = false,
  } = column;
  const body = pages.flat();
  const start = 4;
  const dataStart = start + (hasDictionary ? (pages[0]?.length ?? 0) : 0);
  const converted = decimal
    ? [i32(2, CONVERTED.decimal), i32(1, decimal[0]), i32(1, decimal[1])]
    : type === TYPES.byteArray
      ? [i32(2, CONVERTED.utf8)]
      : [];
  const rootName = text('root');
  const root = isRootRepeated
    ? struct(i32(3, 2), field(1, BINARY, rootName), i32(1, times))
    : struct(field(4, BINARY, rootName), i32(1, times));
  const name = isList ? 'element' : 'x';
  const leaf = struct(
    i32(1, type),
    i32(2, isRepeated ? 2 : isRequired ? 0 : 1),
    field(1, BINARY, text(name)),
    ...converted,
  );
  const groups = isList
    ? [
        struct(i32(3, 1), field(1, BINARY, text('x')), i32(1, 1), i32(1, CONVERTED.list)),
        struct(i32(3, 2), field(1, BINARY, text('list')), i32(1, 1)),
      ]
    : [];
  const chunk = struct(
    i64(2, start),
    field(
      1,
      STRUCT,
      struct(
        i32(1, type),
        list(1, I32, [zigzag(0)]),
        list(1, BINARY, (isList ? ['x', 'list', 'element'] : ['x']).map(text)),
        i32(1, codec),
        i64(1, rows),
        i64(1, body.length),
        i64(1, body.length),
        i64(2, dataStart),
        ...(hasDictionary ? [i64(2, start)] : []),
      ),
    ),
    ...(offsetIndex.length > 0 ? [i64(1, start + body.length), i32(1, offsetIndex.length)] : []),
  );
  const group = struct(list(1, STRUCT, Array(times).fill(chunk)), i64(1, body.length), i64(1, rows));
  const footer = struct(
    i32(1, 1),
    list(1, STRUCT, [root, ...groups, ...Array(times).fill(leaf)]),
    i64(1, rows),
    list(1, STRUCT, [group]),
  );
  const magic = [...Buffer.from('PAR1')];
  return Uint8Array.from([...magic, ...body, ...offsetIndex, ...footer, ...littleEndian(footer.length), ...magic]);
}
