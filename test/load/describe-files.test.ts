import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { EXPERIENCES, FACT_TABLES, fileMeasuresOf, TABLE_KEYS } from '../../shared/catalog/tables.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import {
  CASCADE_COLUMN,
  type ColumnSpec,
  DELETED_COLUMN,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  listingColumns,
} from '../../shared/load/schema/file-columns.ts';
import {
  BOOLEAN,
  COUNT,
  DATE,
  describeType,
  ID,
  ID_TEXT,
  LABEL_ID,
  MICRO_MONEY,
  MONEY,
  NAME,
  SIGNED_COUNT,
  TEXT,
  UPC,
  type ValueType,
} from '../../shared/load/schema/value-types.ts';
import { REJECTED_EXTENSIONS } from '../../shared/load/source/find-files.ts';

const NAMES: readonly (readonly [ValueType, string])[] = [
  [ID, 'id'],
  [COUNT, 'count'],
  [MONEY, 'amount'],
  [MICRO_MONEY, 'amount'],
  [SIGNED_COUNT, 'count, may be negative'],
  [{ ...MONEY, isSigned: true }, 'amount, may be negative'],
  [TEXT, 'text'],
  [NAME, 'text'],
  [LABEL_ID, 'text'],
  [ID_TEXT, 'key'],
  [UPC, 'UPC'],
  [DATE, 'date'],
  [BOOLEAN, 'boolean'],
];

const PAGE = readFileSync(new URL('../../shared/load/README.md', import.meta.url), 'utf8');

/** @returns the page's section of the file */
const sectionOf = (file: string) => PAGE.split(/^#+ /m).find((section) => section.startsWith(`\`${file}\`\n`)) ?? '';

test.each([...describeFiles()])(
  'the page of the loader documents %s with the columns that it is checked by',
  (file, parts) => {
    expect(parts.filter((part) => !sectionOf(file).includes(part))).toEqual([]);
  },
);

test('the page of the loader lists every rejected extension and experience', () => {
  expect(PAGE).toContain(REJECTED_EXTENSIONS.map((extension) => `\`.${extension}\``).join(' '));
  expect(EXPERIENCES.filter((experience) => !PAGE.includes(`\`${experience}\``))).toEqual([]);
});

test('fact files have a column for each key and measure of the catalogue that is not derived from others', () => {
  for (const table of FACT_TABLES) {
    const columns = factColumns(table);
    expect(columns.flatMap((column) => (column.role === 'key' ? [column.key] : []))).toEqual(TABLE_KEYS[table]);
    expect(columns.flatMap((column) => (column.role === 'measure' ? [column.measure] : []))).toEqual(
      fileMeasuresOf(table),
    );
  }
});

test('the file that a column refers to is read before the column’s own file', () => {
  for (const [at, listing] of LISTING_FILES.entries()) {
    for (const { refers } of listingColumns(listing)) {
      if (refers !== undefined) expect(LISTING_FILES.slice(0, at)).toContain(refers);
    }
  }
});

/** @returns what the loader's page has about the columns of each load file, by the file's name: made from the specs that files are checked by */
function describeFiles(): Map<string, readonly string[]> {
  const shared = new Set(factColumns('delivery').map(describeColumn));
  return new Map([
    ...LISTING_FILES.map((listing) => [listing, describeColumns(listingColumns(listing))] as const),
    ...FACT_TABLES.map((table) => {
      const described = table === 'delivery' ? undefined : shared;
      return [`facts/<experience>/${table}*`, describeColumns(factColumns(table), described)] as const;
    }),
    ['<listing>.patch', describeColumns([DELETED_COLUMN, CASCADE_COLUMN])],
    [DELETIONS_FILE, describeColumns(DELETION_COLUMNS)],
  ]);
}

/** @param described rows of a table above, which are named only */
function describeColumns(columns: readonly ColumnSpec[], described: ReadonlySet<string> = new Set()): string[] {
  const same = columns.filter((spec) => described.has(describeColumn(spec))).map((spec) => `\`${spec.name}\``);
  const rows = columns.map(describeColumn).filter((row) => !described.has(row));
  const table = ['| Column | Value | Meaning |', '|---|---|---|', ...rows].join('\n');
  return [...(same.length === 0 ? [] : [` As in \`delivery\`: ${same.join(', ')}.\n`]), `${table}\n`];
}

function describeColumn(spec: ColumnSpec): string {
  return `| \`${spec.name}\` | ${nameType(spec.type)}${presence(spec)} | ${meaning(spec)} |`;
}

/** @returns the name that the page explains below "Values", or the type in words */
function nameType(type: ValueType): string {
  if (type.kind === 'list') {
    const plural = type.of.kind === 'choice' ? '' : 's'; // its words are spelled exactly so
    return `${type.minLength > 0 ? 'non-empty list' : 'list'} of ${nameType(type.of)}${plural}`;
  }
  return NAMES.find(([named]) => isDeepStrictEqual(named, type))?.[1] ?? describeType(type);
}

function presence({ required, default: value }: ColumnSpec): string {
  if (required === true) return ', required';
  if (required !== undefined) return `, ${required}`;
  return value === undefined || value === 0 ? '' : `, else ${value}`;
}

function meaning({ about, refers }: ColumnSpec): string {
  return refers === undefined ? about : `${about} → ${refers}`;
}
