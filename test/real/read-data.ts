import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const DATA = new URL('../../../shared/data/', import.meta.url);

/**
 * @param name a gzipped CSV file without quoted cells, below `../shared/data`
 * @returns the cells of each row by column; an empty cell is an empty string
 * @throws Error if the file is missing, so that the tests fail and are not skipped
 */
export function readData<C extends string>(name: string, columns: readonly C[]): Readonly<Record<C, string>>[] {
  const file = new URL(name, DATA);
  if (!existsSync(file)) {
    throw new Error(
      `${name} is missing; the tests over real data need the folder ../shared/data beside the repository`,
    );
  }
  const [head = '', ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  if (head.includes('"')) throw new Error(`${name} has quoted cells, which this reader does not support`);
  const header = head.split(',');
  const positions = columns.map((column): [C, number] => [column, header.indexOf(column)]);
  return lines.map((line) => {
    const cells = line.split(',');
    if (cells.length !== header.length) throw new Error(`${name} has a line without ${header.length} cells: ${line}`);
    // The entries set every column of C.
    return Object.fromEntries(
      positions.map(([column, position]) => [column, cellAt(cells, position, column)]),
    ) as Record<C, string>;
  });
}

function cellAt(cells: readonly string[], position: number, column: string): string {
  const cell = cells[position];
  if (cell === undefined) throw new Error(`there is no column ${column}`);
  return cell;
}

const NEW_YORK = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
  hour12: false,
});

/** @returns the day and hour of a timestamp with an offset, in the platform's zone */
export function localTime(timestamp: string): { daily_date: string; hour: number } {
  const parts = new Map(NEW_YORK.formatToParts(Date.parse(timestamp)).map((part) => [part.type, part.value]));
  const daily_date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  return { daily_date, hour: Number(parts.get('hour')) % 24 };
}
