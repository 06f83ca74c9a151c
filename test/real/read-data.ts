import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const DATA = new URL('../../../shared/data/', import.meta.url);

/**
 * @param name a gzipped CSV file below `../shared/data`, of columns without quotes
 * @returns its rows, each by the names of the header; an empty cell is an empty text
 * @throws Error when the data is not there: these tests fail without it, they never skip
 */
export function readData<C extends string>(name: string, columns: readonly C[]): Readonly<Record<C, string>>[] {
  const file = new URL(name, DATA);
  if (!existsSync(file))
    throw new Error(`${name} is missing: the real-data tests need ../shared/data beside the repository`);
  const [head = '', ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  if (head.includes('"')) throw new Error(`${name} has quoted cells, which this reader does not know`);
  const header = head.split(',');
  const places = columns.map((column): [C, number] => [column, header.indexOf(column)]);
  return lines.map((line) => {
    const cells = line.split(',');
    if (cells.length !== header.length) throw new Error(`${name}: not ${header.length} cells: ${line}`);
    // every column of C is set, from a cell that exists unless the header lacks it
    return Object.fromEntries(places.map(([column, at]) => [column, cellAt(cells, at, column)])) as Record<C, string>;
  });
}

function cellAt(cells: readonly string[], at: number, column: string): string {
  const cell = cells[at];
  if (cell === undefined) throw new Error(`there is no column ${column}`);
  return cell;
}
