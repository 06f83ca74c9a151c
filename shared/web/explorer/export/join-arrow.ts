import {
  type Column,
  columnFromValues,
  type DataType,
  dateDay,
  dictionary,
  float64,
  int32,
  int64,
  Table,
  Type,
  tableFromIPC,
  tableToIPC,
  utf8,
} from '@uwdata/flechette';

/**
 * @param pages the pages of one report, each an Arrow IPC stream
 * @param total the number of rows on all pages of the report, which may be more than those given
 * @returns one Arrow IPC stream with one dictionary for each text column; it has the first page's metadata, except that `meta.page` covers all given rows
 * @throws Error if there are no pages
 */
export function joinArrow(pages: readonly Uint8Array[], total: number): Uint8Array<ArrayBuffer> {
  const [first, ...others] = pages.map((bytes) => tableFromIPC(bytes, { useBigInt: true }));
  if (first === undefined) throw new Error('a report has at least one page');
  const tables = [first, ...others];
  const columns = first.children.map((_, index) => joinColumn(tables.map((table) => table.getChildAt(index))));
  const fields = first.schema.fields.map((field, index) => ({ ...field, type: columns[index]?.type ?? field.type }));
  const rows = tables.reduce((sum, { numRows }) => sum + numRows, 0);
  const metadata = new Map(first.schema.metadata ?? []);
  const meta: object = JSON.parse(metadata.get('meta') ?? '{}');
  metadata.set('meta', JSON.stringify({ ...meta, page: { offset: 0, size: rows, hasMore: rows < total } }));
  const bytes = tableToIPC(new Table({ ...first.schema, fields, metadata }, columns), { format: 'stream' });
  if (bytes === null) throw new Error('flechette has returned no bytes');
  return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength); // made here, so it is not shared
}

function joinColumn(parts: readonly Column<unknown>[]): Column<unknown> {
  const type = commonType(parts.map((part) => part.type));
  const convert = type.typeId === Type.Float ? toDouble : (value: unknown) => value;
  const visit = (callback: (value: unknown) => void) => {
    for (const part of parts) for (const value of part) callback(convert(value));
  };
  return columnFromValues(visit, type);
}

/** @returns the type that holds the values of all pages: an integer column is one of doubles on pages with a number of 2^63 or more */
function commonType(types: readonly DataType[]): DataType {
  const kinds = new Set(types.map(({ typeId }) => typeId));
  if (kinds.has(Type.Dictionary)) return dictionary(utf8(), int32());
  if (kinds.has(Type.Date)) return dateDay();
  return kinds.has(Type.Float) ? float64() : int64();
}

function toDouble(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
