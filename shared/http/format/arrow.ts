import {
  type Column,
  columnFromArray,
  type DataType,
  dateDay,
  dictionary,
  field,
  float64,
  int32,
  int64,
  Table,
  tableToIPC,
  utf8,
} from '@uwdata/flechette';
import type { ReportResultResponse } from '../../contract/report/report-response.ts';
import { dayNumber } from '../../lib/calendar.ts';
import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';

type Header = ReportResultResponse['headers'][number];
type Value = string | number | null;

const MS_PER_DAY = 86_400_000;
const INT64_LIMIT = 2 ** 63;

/**
 * @returns an Arrow IPC stream of one record batch. Texts are dictionaries of UTF-8, dates are date32, integers int64, decimals float64: the doubles that
 * JSON shows. The metadata of a field is its header, that of the schema totalCount, totals and meta as JSON.
 */
export function toArrow(report: ReportResultResponse, deadline: Deadline = NO_DEADLINE): Buffer {
  const { headers, data, totalCount, totals, meta } = report;
  const columns = headers.map(({ name, type }) => {
    const values = data.map((row) => {
      deadline.spend();
      return row[name] ?? null;
    });
    return columnOf(type, values);
  });
  const schema = {
    fields: headers.map((header, i) => {
      const column = columns[i] as Column<Value>; // made from the same headers
      return field(header.name, column.type, true, metadataOf(header));
    }),
    metadata: metadataOf({ totalCount, totals, meta }),
  };
  const bytes = tableToIPC(new Table(schema, columns), { format: 'stream' });
  if (bytes === null) throw new Error('flechette has returned no bytes');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function columnOf(type: Header['type'], values: readonly Value[]): Column<Value> {
  switch (type) {
    case 'text':
      return build(values, dictionary(utf8(), int32()));
    case 'date':
      return build(
        values.map((value) => (value === null ? null : dayNumber(String(value)) * MS_PER_DAY)),
        dateDay(),
      );
    case 'integer': {
      const isInt64 = (value: Value) =>
        value === null || (Number.isInteger(value) && Math.abs(Number(value)) < INT64_LIMIT);
      return build(values, values.every(isInt64) ? int64() : float64());
    }
    case 'decimal':
      return build(values, float64());
  }
}

function build(values: readonly Value[], type: DataType): Column<Value> {
  return columnFromArray([...values], type);
}

/** @returns texts as they are, other values as JSON; without those that are undefined or null */
function metadataOf(members: Readonly<Record<string, unknown>>): Map<string, string> {
  return new Map(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : [[name, typeof value === 'string' ? value : JSON.stringify(value)] as const],
    ),
  );
}
