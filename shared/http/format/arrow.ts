import {
  type Column,
  columnFromValues,
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
import { DAY_MS, dayNumber } from '../../lib/calendar.ts';
import { fileColumns } from './compared-columns.ts';

type Header = ReportResultResponse['headers'][number];
type Value = string | number | null;

const INT64_LIMIT = 2 ** 63;

/**
 * @returns an Arrow IPC stream of one record batch. Texts are dictionaries of UTF-8, dates date32, integers int64 (float64 if one is 2^63 or more), decimals
 * float64: the doubles that JSON shows. The metadata of a field is its header, that of the schema the other members of the response as JSON.
 */
export function toArrow(report: ReportResultResponse): Buffer {
  const { headers: _, data, ...envelope } = report;
  const headers = fileColumns(report);
  const columns = headers.map(({ name, type }) => {
    return columnOf(type, (callback) => {
      for (const row of data) callback(row[name] ?? null);
    });
  });
  const schema = {
    fields: headers.map((header, i) => {
      const column = columns[i] as Column<Value>; // made from the same headers
      return field(header.name, column.type, true, metadataOf(header));
    }),
    metadata: metadataOf(envelope),
  };
  const bytes = tableToIPC(new Table(schema, columns), { format: 'stream' });
  if (bytes === null) throw new Error('flechette has returned no bytes');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Calls back with each value of a column. */
type Visit = (callback: (value: Value) => void) => void;

function columnOf(type: Header['type'], visit: Visit): Column<Value> {
  switch (type) {
    case 'text':
      return columnFromValues(visit, dictionary(utf8(), int32()));
    case 'date': {
      const millisecondsOf = (date: Value) => (date === null ? null : dayNumber(String(date)) * DAY_MS);
      const visitDates: Visit = (callback) => visit((date) => callback(millisecondsOf(date)));
      return columnFromValues(visitDates, dateDay());
    }
    case 'integer':
      return columnFromValues(visit, areInt64(visit) ? int64() : float64());
    // not decimals: ratios of this type have no last digit, and pandas reads decimals as objects
    case 'decimal':
      return columnFromValues(visit, float64());
  }
}

function areInt64(visit: Visit): boolean {
  let all = true;
  visit((value) => {
    if (value !== null && !(Number.isInteger(value) && Math.abs(Number(value)) < INT64_LIMIT)) all = false;
  });
  return all;
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
