import * as z from 'zod';
import { didYouMean } from '../../catalog/describe/suggest.ts';
import { FACT_TABLES } from '../../catalog/tables.ts';
import { factColumns } from '../schema/fact-columns.ts';
import {
  type ColumnSpec,
  DELETED_COLUMN,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  listingColumns,
} from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import { REPLACE_MODES, type ReplaceMode } from '../schema/replace-modes.ts';
import type { FileSource, SourceFile } from './file-source.ts';

/** What `columns.json` says. */
export interface FolderColumns {
  /** By listing, fact table or `deletions`, and then by the name of a column in its files, our name; null if the column is ignored. */
  readonly names: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** Whether rows with equal keys in different files are meant to be added. */
  readonly filesAddUp: boolean;
  readonly replace?: ReplaceMode | undefined;
}

function namesOf(columns: readonly ColumnSpec[]) {
  const names = columns.map(({ name }) => name);
  const name = z.enum(names, `must be null or one of ${names.join(', ')}`).nullable();
  return z.record(z.string(), name).optional();
}

const COLUMNS_JSON = z.strictObject({
  filesAddUp: z.boolean().default(false),
  replace: z.enum(REPLACE_MODES, `must be one of ${REPLACE_MODES.join(', ')}`).optional(),
  ...Object.fromEntries(
    LISTING_FILES.map((listing) => [listing, namesOf([...listingColumns(listing), DELETED_COLUMN])]),
  ),
  ...Object.fromEntries(FACT_TABLES.map((table) => [table, namesOf(factColumns(table))])),
  [DELETIONS_FILE]: namesOf(DELETION_COLUMNS),
});

/** @returns what the file says; nothing if there is none, or it is wrong, which is a problem */
export async function readColumnsFile(
  source: FileSource,
  file: SourceFile | undefined,
  problems: Problems,
): Promise<FolderColumns> {
  const nothing = { names: {}, filesAddUp: false };
  if (file === undefined) return nothing;
  try {
    const text = Buffer.concat(await Array.fromAsync(source.read(file.name))).toString();
    const { filesAddUp, replace, ...names } = COLUMNS_JSON.parse(JSON.parse(text));
    return { names: names as FolderColumns['names'], filesAddUp, replace }; // the other members are names
  } catch (error) {
    if (error instanceof SyntaxError) problems.addFile(file.name, `is not JSON: ${error.message}`);
    else if (error instanceof z.ZodError)
      for (const { path, message } of error.issues)
        problems.add({ file: file.name, line: null, field: path.join('.') || null, reason: message });
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

  /** @param table the listing, fact table or `deletions` */
  constructor(table: string, columns: readonly ColumnSpec[], given: FolderColumns['names'][string] = {}) {
    this.table = table;
    this.#known = columns.map(({ name }) => name);
    this.required = columns.filter(({ required }) => required === true).map(({ name }) => name);
    const all = [...this.#known.map((name) => [name, name] as const), ...Object.entries(given)];
    this.#names = new Map(all.map(([name, ours]) => [fold(name), ours]));
  }

  /** @returns our name; null if the column is ignored, undefined if it is unknown */
  resolve(name: string): string | null | undefined {
    return isPandasIndex(name) ? null : this.#names.get(fold(name));
  }

  /** @param suggests whether to look for a similar name, which takes as long as reading many rows. @returns the end of a sentence about a column that is unknown */
  explainUnknown(name: string, suggests: boolean): string {
    return `is not a column of this file${suggests ? didYouMean(name, this.#known) : ''}; its columns are ${this.#known.join(', ')}; columns.json can map it or ignore it, under "${this.table}"`;
  }
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** pandas writes its index so into Parquet, and an index that it has read from CSV. */
export function isPandasIndex(name: string): boolean {
  return /^(__index_level_\d+__|Unnamed: 0)$/.test(name);
}
