import { strFromU8, unzipSync } from 'fflate';

/** A cell as the workbook states it: a text, a number with its format, or nothing. */
type ReadCell = string | readonly [number: number, format: string] | null;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** @returns the cells of the sheets of a workbook of the explorer. @throws Error if a cell has another form, such as that of a formula */
export function readWorkbook(bytes: Uint8Array): { readonly report: ReadCell[][]; readonly about: ReadCell[][] } {
  const files = unzipSync(bytes);
  const textOf = (path: string) => strFromU8(files[path] ?? new Uint8Array());
  const styles = textOf('xl/styles.xml');
  const formats = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="(.*?)"/g)].map(([, id, code]) => [id, unescapeXml(code)]),
  );
  const [, cellStyles = ''] = /<cellXfs>(.*)<\/cellXfs>/.exec(styles) ?? [];
  const ids = [...cellStyles.matchAll(/<xf( numFmtId="(\d+)")?/g)].map(([, , id]) => id);
  const readCell = (xml: string | undefined): ReadCell => {
    if (xml === undefined) return null;
    const [, text] = / t="inlineStr"><is><t xml:space="preserve">(.*?)<\/t><\/is>$/s.exec(xml) ?? [];
    if (text !== undefined) return unescapeXml(text);
    const [, style, number] = / s="(\d+)"><v>([-\d.e+]+)<\/v>$/.exec(xml) ?? [];
    if (number === undefined) throw new Error(`not a text or a number: ${xml}`);
    return [Number(number), formats.get(ids[Number(style)]) ?? ''];
  };
  const readSheet = (path: string) => {
    const rows = [...textOf(path).matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)].map(([, number, xml = '']) => {
      const cells = new Map(
        [...xml.matchAll(/<c r="([A-Z]+)(\d+)"(.*?)<\/c>/gs)].map(([, column = '', row, cell]) => {
          if (row !== number) throw new Error(`row ${number} has a cell of row ${row}`);
          return [columnIndex(column), cell] as const;
        }),
      );
      return { cells, length: Math.max(-1, ...cells.keys()) + 1 };
    });
    const width = rows.reduce((widest, { length }) => Math.max(widest, length), 0);
    return rows.map(({ cells }) => Array.from({ length: width }, (_, index) => readCell(cells.get(index))));
  };
  return { report: readSheet('xl/sheet1.xml'), about: readSheet('xl/sheet2.xml') };
}

/** @param name such as `A` or `AB` */
function columnIndex(name: string): number {
  return [...name].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function unescapeXml(text = ''): string {
  return text
    .replace(/&(\w+);/g, (_, name) => ENTITIES[name] ?? '?')
    .replace(/_x([\dA-F]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
