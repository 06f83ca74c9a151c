import { existsSync } from 'node:fs';
import * as z from 'zod';
import {
  CUSTOM_LISTINGS,
  CUSTOM_TABLES,
  type CustomDimension,
  type CustomFields,
  type CustomMeasure,
  type CustomRatio,
  fieldsFile,
  listingColumnOf,
  PURCHASED_PRODUCTS,
  readFieldsFile,
} from '../../shared/catalog/custom-fields.ts';
import { DIMENSION_GROUPS } from '../../shared/catalog/dimensions.ts';
import { METRIC_GROUPS } from '../../shared/catalog/metrics.ts';
import { FACT_TABLES, KEY_COLUMNS, TABLE_MEASURES, UNIDENTIFIED } from '../../shared/catalog/tables.ts';
import { keysOf } from '../../shared/lib/keys-of.ts';
import { LISTING_FILES, listingColumns } from '../../shared/load/schema/file-columns.ts';
import { hasPrototypeKey } from './setting-parts.ts';

const MAX_FIELDS = 40;
/** Each key multiplies rows. */
const MAX_KEYS = 8;

const NAME_RULE = 'a lower-case letter, then letters, digits and _: at most 40';
const column = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, 'must be a letter, then letters, digits and _: at most 50');
const texts = { title: z.string().min(1).max(60).optional(), description: z.string().min(1).max(300).optional() };
const table = z.enum(CUSTOM_TABLES, `must be one of ${CUSTOM_TABLES.join(', ')}`);
const UNITS = ['ratio', 'fraction', 'count', 'currency', 'seconds', 'hours'] as const;
const LISTED = [...CUSTOM_LISTINGS, PURCHASED_PRODUCTS] as const;

const measure = z.strictObject({
  ...{ table, unit: z.enum(['count', 'currency', 'seconds'], 'must be count, currency or seconds') },
  ...{ column: column.optional(), ...texts },
}) satisfies z.ZodType<CustomMeasure>;
const ratio = z.strictObject({
  ...{ of: z.string(), to: z.string(), factor: z.number().positive().max(1e9).optional() },
  ...{ unit: z.enum(UNITS, `must be one of ${UNITS.join(', ')}`).optional(), ...texts },
}) satisfies z.ZodType<CustomRatio>;
const dimension = z
  .strictObject({
    tables: z.array(table).min(1).optional(),
    of: z.enum(LISTED, `must be one of ${LISTED.join(', ')}`).optional(),
    ...{ column: column.optional(), ...texts },
  })
  .refine(({ tables, of }) => (tables === undefined) !== (of === undefined), 'must have either tables or of')
  .refine(
    ({ tables = [] }) => new Set(tables).size === tables.length,
    'must have each table once',
  ) satisfies z.ZodType<CustomDimension>;
const named = <Field extends z.ZodType>(field: Field) =>
  z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), field, {
      error: ({ code }) => (code === 'invalid_key' ? `is not a name: ${NAME_RULE}` : undefined),
    })
    .default({});
const FIELDS = z.strictObject({
  measures: named(measure),
  ratios: named(ratio),
  dimensions: named(dimension),
}) satisfies z.ZodType<CustomFields>;

/** @throws Error that names the file, and all declarations that are not valid */
export function checkCustomFields(file = fieldsFile()): void {
  if (process.env.FIELDS_FILE && !existsSync(file)) throw new Error(`FIELDS_FILE is ${file}, which does not exist`);
  const given = readFieldsFile(file);
  const read = FIELDS.safeParse(given);
  if (hasPrototypeKey(given)) throw new Error(`${file} has the key __proto__, which no declaration may have`);
  const problems = read.success
    ? checkTogether(read.data)
    : read.error.issues.map(({ path, message }) => [path.join('.'), message]);
  if (problems.length === 0) return;
  const lines = problems.map(([where, reason]) => `  ${where}${where === '' ? '' : ' '}${reason}`);
  throw new Error(`custom fields (in ${file}) are not valid:\n${lines.join('\n')}`);
}

/** @returns where something is wrong, and what */
function checkTogether(fields: CustomFields): string[][] {
  const named = keysOf(fields).flatMap((kind) => Object.keys(fields[kind]).map((field) => ({ kind, field })));
  const problems = named.flatMap(({ kind, field }, at) => {
    const where = `${kind}.${field}`;
    const other = named.slice(0, at).find((one) => fold(one.field) === fold(field));
    if (BUILT_IN.has(fold(field)))
      return [[where, `is a field of the catalogue, or a column of the files: ${BUILT_IN.get(fold(field))}`]];
    if (COMPARED.test(field)) return [[where, 'ends as the columns of compared periods do: _before, _change']];
    return other === undefined ? [] : [[where, `has the name of ${other.kind}.${other.field}`]];
  });
  if (named.length > MAX_FIELDS) problems.push(['', `${named.length} fields; at most ${MAX_FIELDS} may be declared`]);
  const keys = Object.values(fields.dimensions).filter(({ tables }) => tables !== undefined);
  if (keys.length > MAX_KEYS) problems.push(['dimensions', `${keys.length} have tables; at most ${MAX_KEYS} may`]);
  return [...problems, ...checkColumns(fields), ...checkRatios(fields)];
}

/** Each column belongs to one field, and none to the catalogue. A listing has no column with the name of one of facts: what was loaded is recorded by that name. */
function checkColumns({ measures, dimensions }: CustomFields): string[][] {
  const owners = new Map<string, string>();
  const claim = (where: string, field: string, place: string, column: string): string[][] => {
    const key = `${place}/${fold(column)}`;
    const owner = owners.get(key) ?? owners.get(`facts/${fold(column)}`);
    owners.set(key, where);
    if (BUILT_IN.has(fold(column)) && !BUILT_IN.has(fold(field)))
      return [[where, `has the column ${column}, which the files have already`]];
    return owner === undefined ? [] : [[where, `has the column ${column} of ${owner}`]];
  };
  const keysFirst = Object.entries(dimensions).sort(([, a], [, b]) => Number(!a.tables) - Number(!b.tables));
  return [
    ...Object.entries(measures).flatMap(([field, { column = field }]) =>
      claim(`measures.${field}`, field, 'facts', column),
    ),
    ...keysFirst.flatMap(([field, definition]) => {
      const { of, column = field } = definition;
      const where = `dimensions.${field}`;
      if (of === undefined) return claim(where, field, 'facts', column);
      const isListed = listingColumnOf(field, definition)?.column === column; // a text of the catalogue's listing
      return isListed ? [] : claim(where, field, of, column);
    }),
  ];
}

function checkRatios({ measures, ratios }: CustomFields): string[][] {
  return Object.entries(ratios).flatMap(([field, { of, to }]) =>
    [...new Set([of, to])].flatMap((term) => {
      if (Object.hasOwn(measures, term) || SUMMED.includes(term)) return [];
      return [
        [
          `ratios.${field}`,
          `is of ${term}, which is not a measure; it must be one of ${[...Object.keys(measures), ...SUMMED].join(', ')}`,
        ],
      ];
    }),
  );
}

/** Names are compared as those of columns are. */
const fold = (text: string) => text.toLowerCase().replaceAll('_', '');

/** The catalogue's measures that ratios may be of: those that files have. */
const SUMMED: readonly string[] = CUSTOM_TABLES.flatMap((of) => keysOf(TABLE_MEASURES[of])).filter(
  (name) => !/^(direct|other)_/.test(name) && !Object.values(UNIDENTIFIED).some(({ part }) => part === name),
);

/** Columns of patches, partitions of folders, and members of rows with a compared period. */
const RESERVED = ['deleted', 'cascade', 'year', 'month', 'day', 'compared', 'change', 'relativeChange'];
/** The columns that files of reports with a compared period add to each metric. */
const COMPARED = /_(before|change)$/;

/** The names of the catalogue's fields and of the columns of files. */
const BUILT_IN: ReadonlyMap<string, string> = new Map(
  [
    ...[METRIC_GROUPS, DIMENSION_GROUPS].flatMap(({ custom: _, ...groups }) =>
      Object.values(groups).flatMap(Object.keys),
    ),
    ...[...KEY_COLUMNS, ...FACT_TABLES.flatMap((of) => keysOf(TABLE_MEASURES[of]))],
    ...[
      ...LISTING_FILES.flatMap((listing) =>
        listingColumns(listing)
          .filter(({ stored }) => !stored)
          .map((spec) => spec.name),
      ),
    ],
    ...['advertiser', 'experience', 'table', 'users', 'market', 'own', 'constructor', ...RESERVED],
  ].map((name) => [fold(name), name]),
);
