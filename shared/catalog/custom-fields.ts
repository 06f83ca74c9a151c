/** The file that declares an operator's own fields, beside `endcap.settings.json`, and in each bundle; FIELDS_FILE is another path. */
export const FIELDS_FILE = 'endcap.fields.json';

interface Texts {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** The fact tables that custom fields may be of: not market, which has figures of others. */
export const CUSTOM_TABLES = ['delivery', 'conversions', 'activity'] as const;

/** A column of fact files that is summed. */
export interface CustomMeasure extends Texts {
  readonly table: (typeof CUSTOM_TABLES)[number];
  readonly unit: 'count' | 'currency' | 'seconds';
  /** The column of the files; default: the name of the field. */
  readonly column?: string | undefined;
}

/** `factor` × the sum of a measure / the sum of another: of measures of the catalogue or custom ones. */
export interface CustomRatio extends Texts {
  readonly of: string;
  readonly to: string;
  readonly factor?: number | undefined;
  readonly unit?: 'ratio' | 'fraction' | 'count' | 'currency' | 'seconds' | 'hours' | undefined;
}

export const CUSTOM_LISTINGS = ['campaigns', 'ad_groups', 'products', 'advertisers', 'placements'] as const;
export const PURCHASED_PRODUCTS = 'purchased products';

/** A text column: a key of the files of fact tables, or of a listing, as it is now. */
export interface CustomDimension extends Texts {
  readonly tables?: readonly CustomMeasure['table'][] | undefined;
  readonly of?: (typeof CUSTOM_LISTINGS)[number] | typeof PURCHASED_PRODUCTS | undefined;
  readonly column?: string | undefined;
}

export interface CustomFields {
  readonly measures: Readonly<Record<string, CustomMeasure>>;
  readonly ratios: Readonly<Record<string, CustomRatio>>;
  readonly dimensions: Readonly<Record<string, CustomDimension>>;
}

/** The name under which a column of a custom field is stored. No column of the catalogue has such a name. */
export type CustomColumn = `own.${string}`;

export function customColumn(
  field: string,
  { column = field }: { readonly column?: string | undefined },
): CustomColumn {
  return `own.${column}`;
}

/** @returns the name of the column in files */
export function customName(column: CustomColumn): string {
  return column.slice('own.'.length);
}

/** @returns the name of a column of facts in files */
export function columnName(column: string): string {
  return isCustom(column) ? customName(column) : column;
}

/** A column of facts: a measure of one table, or a key of tables. */
export interface ColumnKind {
  readonly tables: readonly CustomMeasure['table'][];
  readonly unit: CustomMeasure['unit'] | 'key';
}

export function isCustom(column: string): column is CustomColumn {
  return column.startsWith('own.');
}

/** The text columns of `products` that dimensions may be declared of without a column of their own. */
const PRODUCT_COLUMNS: readonly string[] = [
  ...['name', 'brand', 'category', 'subcategory', 'department', 'departmentId', 'commodity', 'commodityId'],
  ...['subCommodity', 'subCommodityId', 'entityGroup', 'entityGroupId'],
];

/** @returns the listing and the stored column of a dimension of a listing; undefined for a key of fact files */
export function listingColumnOf(field: string, { of, column = field }: CustomDimension) {
  if (of === undefined) return undefined;
  const table = of === PURCHASED_PRODUCTS ? 'products' : of;
  const isListed = table === 'products' && PRODUCT_COLUMNS.includes(column);
  return { table, name: column, column: isListed ? column : customColumn(field, { column }) };
}

/** @returns the columns of custom fields that a listing has, in its files and as stored */
export function customListingColumns(listing: string): readonly { name: string; stored: CustomColumn }[] {
  const found = Object.entries(CUSTOM_FIELDS.dimensions).flatMap(([field, definition]) => {
    const { table, name, column: stored = '' } = listingColumnOf(field, definition) ?? {};
    return table === listing && name !== undefined && isCustom(stored) ? [[stored, { name, stored }] as const] : [];
  });
  return [...new Map(found).values()];
}

/** What Node.js has and a browser, where fields come from the API, does not. */
interface Host {
  readonly process?: {
    readonly env: Readonly<Record<string, string | undefined>>;
    getBuiltinModule(name: 'node:fs'): { readFileSync(path: string, encoding: 'utf8'): string };
  };
}

const { process }: Host = Object(globalThis);

/** @returns the path of the file with the declarations */
export function fieldsFile(): string {
  return process?.env.FIELDS_FILE ?? FIELDS_FILE;
}

/** @returns what the file contains, `{}` if there is none. @throws Error that names a file that cannot be read as JSON */
export function readFieldsFile(file = fieldsFile()): unknown {
  if (process === undefined) return {};
  try {
    return JSON.parse(process.getBuiltinModule('node:fs').readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** A command that needs the declarations checks them, and says what is wrong. */
function tolerate(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return {};
  }
}

/** @returns the declarations of a kind; without those that no field can be made of, which `checkCustomFields` names */
function declared<Field>(kind: keyof CustomFields): Readonly<Record<string, Field>> {
  const fields = Object(Object(DECLARED)[kind]);
  const isField = (field: unknown) =>
    typeof field === 'object' &&
    field !== null &&
    [Object(field).tables ?? []].flat().every((table) => CUSTOM_TABLES.some((name) => name === table));
  return Object.fromEntries(Object.entries<Field>(fields).filter(([, field]) => isField(field)));
}

const DECLARED = tolerate(readFieldsFile);

/** The declarations. Whoever loads or deploys has them checked first (`infra/config/custom-fields.ts`). */
export const CUSTOM_FIELDS: CustomFields = {
  measures: declared('measures'),
  ratios: declared('ratios'),
  dimensions: declared('dimensions'),
};

export function hasCustomFields(): boolean {
  return Object.values(CUSTOM_FIELDS).some((fields) => Object.keys(fields).length > 0);
}

/** The columns of facts that are declared. */
export const CUSTOM_COLUMNS: ReadonlyMap<CustomColumn, ColumnKind> = new Map<CustomColumn, ColumnKind>([
  ...Object.entries(CUSTOM_FIELDS.measures).map(([name, field]) => {
    return [customColumn(name, field), { tables: [field.table], unit: field.unit }] as const;
  }),
  ...Object.entries(CUSTOM_FIELDS.dimensions).flatMap(([name, field]) => {
    const { tables } = field;
    return tables === undefined ? [] : [[customColumn(name, field), { tables, unit: 'key' }] as const];
  }),
]);
