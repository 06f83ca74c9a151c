/**
 * Readers that share no code with the loader, to compare it with. They return the same rows in another form, which must load with the same result, or
 * undefined if the file is not in its format.
 */

/** @returns the records with their members in reverse order */
export function rewriteNdjson(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    return lines
      .map((line) => {
        const record: unknown = JSON.parse(line);
        if (typeof record !== 'object' || record === null || Array.isArray(record)) throw new Error('not an object');
        return `${JSON.stringify(Object.fromEntries(Object.entries(record).toReversed()))}\n`;
      })
      .join('');
  } catch {
    return undefined;
  }
}

/** @returns the records with every cell in quotes, and the columns in reverse order */
export function rewriteCsv(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes);
  const records = text === undefined ? undefined : parseCsv(text);
  if (records === undefined) return undefined;
  const isBlank = (record: readonly string[]) => record.length === 1 && record[0] === '';
  const [header = [], ...others] = records.slice(records.findIndex((record) => !isBlank(record)));
  const rows = [header, ...others.filter((record) => !isBlank(record) || header.length === 1)];
  if (rows.some((record) => record.length !== header.length)) return undefined;
  return rows
    .map((record) =>
      record
        .toReversed()
        .map((cell) => `"${cell.replaceAll('"', '""')}"`)
        .join(','),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** RFC 4180, character by character; but spaces and tabs after a closing quote are ignored, and a cell that begins without a quote may have quotes. */
function parseCsv(text: string): string[][] | undefined {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        if (at >= text.length) return undefined;
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
        at += 1;
      }
      at += 1;
      while (/[ \t]/.test(text[at] ?? '')) at += 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) return undefined;
    } else {
      while (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) {
        cell += text[at];
        at += 1;
      }
    }
    record.push(cell);
    if (text[at] === ',') {
      at += 1;
      if (at === text.length) record.push('');
      continue;
    }
    if (text[at] === '\r') {
      at += 1;
      if (at < text.length && text[at] !== '\n') return undefined;
    }
    if (text[at] === '\n') at += 1;
    records.push(record);
    record = [];
  }
  if (record.length > 0) records.push(record);
  return records;
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
