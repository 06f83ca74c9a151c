import * as z from 'zod';
import { CUSTOM_LISTINGS, CUSTOM_TABLES } from '../../catalog/custom-fields.ts';
import { didYouMean } from '../../catalog/describe/suggest.ts';
import { FACT_TABLES } from '../../catalog/tables.ts';
import { type FactColumn, factColumns } from '../schema/fact-columns.ts';
import {
  type ColumnSpec,
  DELETED_COLUMN,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  listingColumns,
} from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import { isReplaceMode, REPLACE_RULE, type ReplaceMode } from '../schema/replace-modes.ts';
import type { ValueType } from '../schema/value-types.ts';
import type { FileSource, SourceFile } from './file-source.ts';

/** What `columns.json` says of a column: our name, null if it is ignored; our words for its values; or the power of ten that its amounts are divided by. */
interface GivenColumn {
  readonly is: string | null;
  readonly values?: Readonly<Record<string, string>> | undefined;
  readonly divide?: number | undefined;
  /** The column is ignored, because its custom field is no longer declared. */
  readonly isUndeclared?: true;
}

/** By the name of a column in the files of a table. */
export type GivenColumns = Readonly<Record<string, GivenColumn>>;

/** What `columns.json` says. */
export interface FolderColumns {
  /** By listing, fact table or `deletions`. */
  readonly names: Readonly<Record<string, GivenColumns>>;
  /** Whether rows with equal keys in different files are meant to be added. */
  readonly filesAddUp: boolean;
  readonly replace?: ReplaceMode | undefined;
  /** Texts that are null in the folder's files, in lower case. */
  readonly nullWords: readonly string[];
}

function namesOf(columns: readonly (ColumnSpec | FactColumn)[]) {
  const names = columns.map(({ name }) => name);
  const column = z
    .strictObject({
      is: z.enum(names, `must be null or one of ${names.join(', ')}`).nullable(),
      values: z.record(z.string(), z.string()).optional(),
      divide: z.literal(DIVISORS, `must be one of ${DIVISORS.join(', ')}`).optional(),
    })
    .superRefine(({ is, values, divide }, { addIssue }) => {
      const kind = kindOfValues(columns.find(({ name }) => name === is));
      if (values !== undefined && kind !== 'words')
        addIssue({ code: 'custom', message: 'has values, which are for words only' });
      if (divide !== undefined && kind !== 'amounts')
        addIssue({ code: 'custom', message: 'is divided, which is for amounts only' });
    });
  const orName = z.preprocess((given) => (typeof given === 'string' || given === null ? { is: given } : given), column);
  return z
    .record(z.string(), orName)
    .superRefine((given, { addIssue }) => {
      for (const [name, { is }] of Object.entries(given).filter(([, column]) => isConverted(column))) {
        const others = Object.keys(given).filter((other) => other !== name && given[other]?.is === is);
        if (others.length > 0)
          addIssue({ code: 'custom', path: [name], message: `is the same column as ${others.join(', ')}` });
      }
    })
    .optional();
}

/** Powers of ten, so that a division is exact. */
const DIVISORS = [10, 100, 1000, 1_000_000, 1_000_000_000];

function isConverted({ values, divide }: GivenColumn): boolean {
  return values !== undefined || divide !== undefined;
}

/** @returns what `columns.json` may say about the column's values */
function kindOfValues(column: ColumnSpec | FactColumn | undefined): 'words' | 'amounts' | undefined {
  if (column === undefined || ('role' in column && column.role === 'users')) return undefined;
  const { kind } = column.type.kind === 'list' ? column.type.of : column.type;
  if (kind === 'decimal') return 'amounts';
  return kind === 'choice' || kind === 'text' || kind === 'boolean' ? 'words' : undefined;
}

/** @returns the columns with the types of their values in files */
export function convertColumns<C extends ColumnSpec>(columns: readonly C[], given: GivenColumns = {}): readonly C[] {
  const converted = new Map(
    Object.values(given).flatMap((column) => (isConverted(column) ? [[column.is, column]] : [])),
  );
  return columns.map((spec) => {
    const column = converted.get(spec.name);
    return column === undefined ? spec : { ...spec, type: convertType(spec.type, column) };
  });
}

function convertType<T extends ValueType>(type: T, given: GivenColumn): T {
  if (type.kind === 'list') return { ...type, of: convertType(type.of, given) };
  const { values, divide } = given;
  if (values !== undefined) return { ...type, words: new Map(Object.entries(values)) };
  return type.kind === 'decimal' ? { ...type, shift: Math.round(Math.log10(divide ?? 1)) } : type;
}

const COLUMNS_JSON = z.strictObject({
  filesAddUp: z.boolean().default(false),
  replace: z.custom<ReplaceMode>(isReplaceMode, REPLACE_RULE).optional(),
  nullWords: z.array(z.string().toLowerCase()).default([]),
  ...Object.fromEntries(
    LISTING_FILES.map((listing) => [listing, namesOf([...listingColumns(listing), DELETED_COLUMN])]),
  ),
  ...Object.fromEntries(FACT_TABLES.map((table) => [table, namesOf(factColumns(table))])),
  [DELETIONS_FILE]: namesOf(DELETION_COLUMNS),
});

/** Far more than all columns and words need. */
const MAX_COLUMNS_BYTES = 1 << 20;

/** @returns what the file says; nothing if there is none, or it is wrong, which is a problem */
export async function readColumnsFile(
  source: FileSource,
  file: SourceFile | undefined,
  problems: Problems,
): Promise<FolderColumns> {
  const nothing = { names: {}, filesAddUp: false, nullWords: [] };
  if (file === undefined) return nothing;
  if (file.bytes > MAX_COLUMNS_BYTES) {
    problems.addFile(file.name, `is larger than ${MAX_COLUMNS_BYTES >> 20} MiB: it maps columns, and has no rows`);
    return nothing;
  }
  try {
    const text = Buffer.concat(await Array.fromAsync(source.read(file.name))).toString();
    const { filesAddUp, replace, nullWords, ...names } = COLUMNS_JSON.parse(JSON.parse(text));
    return { names: names as FolderColumns['names'], filesAddUp, replace, nullWords }; // the other members are names
  } catch (error) {
    if (error instanceof SyntaxError) problems.addFile(file.name, `is not JSON: ${error.message}`);
    else if (error instanceof z.ZodError)
      for (const { path, message } of error.issues)
        problems.add({
          file: file.name,
          line: null,
          field: path.join('.').replace(/\.is$/, '') || null,
          reason: message,
        });
    else throw error;
    return nothing;
  }
}

/** Finds the columns of a file by their names, which may differ from ours in case and underscores. */
export class ColumnNames {
  readonly table: string;
  readonly required: readonly string[];
  readonly #known: readonly string[];
  readonly #names: ReadonlyMap<string, string | null>;
  readonly #undeclared: ReadonlySet<string>;

  /** @param table the listing, fact table or `deletions` */
  constructor(table: string, columns: readonly ColumnSpec[], given: GivenColumns = {}) {
    this.table = table;
    const converted = new Map(
      Object.entries(given).flatMap(([name, column]) => (isConverted(column) ? [[column.is, name]] : [])),
    );
    const own = columns.map(({ name }) => name).filter((name) => !converted.has(name)); // it would have our values
    this.#known = [...own, ...converted.values()];
    this.required = columns.filter(({ required }) => required === true).map(({ name }) => name);
    this.#names = new Map([
      ...own.map((name) => [fold(name), name] as const),
      ...Object.entries(given).map(([name, { is }]) => [fold(name), is] as const),
    ]);
    this.#undeclared = new Set(
      Object.entries(given).flatMap(([name, { isUndeclared }]) => (isUndeclared ? [fold(name)] : [])),
    );
  }

  /** @returns our name; null if the column is ignored, undefined if it is unknown */
  resolve(name: string): string | null | undefined {
    return isPandasIndex(name) ? null : this.#names.get(fold(name));
  }

  /** @returns whether the column is ignored because its custom field is no longer declared */
  isUndeclared(name: string): boolean {
    return this.#undeclared.has(fold(name));
  }

  /** @param suggests whether to look for a similar name, which takes as long as reading many rows. @returns the end of a sentence about a column that is unknown */
  explainUnknown(name: string, suggests: boolean): string {
    return `is not a column of this file${suggests ? didYouMean(name, this.#known) : ''}; its columns are ${this.#known.join(', ')}; columns.json can map it or ignore it, under "${this.table}"${CUSTOM_FILES.includes(this.table) ? ', and endcap.fields.json declare it' : ''}`;
  }
}

/** The files that may have columns of custom fields. */
const CUSTOM_FILES: readonly string[] = [...CUSTOM_LISTINGS, ...CUSTOM_TABLES];

function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** pandas writes its index so into Parquet, and an index that it has read from CSV. */
export function isPandasIndex(name: string): boolean {
  return /^(__index_level_\d+__|Unnamed: 0)$/.test(name);
}
