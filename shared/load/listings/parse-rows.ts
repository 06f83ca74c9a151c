import type { ProductIds } from '../../catalog/dimensions.ts';
import { ALL_ACCOUNTS } from '../../layout/partitions.ts';
import {
  CASCADE_COLUMN,
  type ColumnSpec,
  cellName,
  DELETED_COLUMN,
  DELETIONS_FILE,
  type ListingFile,
  listingColumns,
} from '../schema/file-columns.ts';
import { detach, isAbsent, isNullWord, parseValue, type ValueFormat } from '../schema/parse-value.ts';
import { BatchProblems } from '../schema/problems.ts';
import type { Rounding } from '../schema/roundings.ts';
import type { TextIds } from '../schema/text-ids.ts';
import { TimeZone } from '../schema/time-zone.ts';
import { type Cell, Invalid } from '../schema/value-types.ts';
import { ColumnNames, convertColumns } from '../source/column-names.ts';
import { skipEmptyFiles } from '../source/empty-files.ts';
import type { RowFiles } from '../source/find-files.ts';
import { type RowBatch, reportUnreadable } from '../source/row-batch.ts';
import { type Reading, readFile } from '../source/sections.ts';

/** Cells by column; absent cells are missing. */
export type CellRow = Readonly<Record<string, Cell>>;

/** The valid cells of files' rows, with the place of each row. */
export interface ParsedRows {
  readonly rows: readonly CellRow[];
  readonly places: readonly Place[];
}

/** Where a row is. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/**
 * Checks the cells of a row against each other.
 * @param wrong columns whose value is missing from the row because it is wrong
 */
type RowCheck = (
  row: CellRow,
  wrong: readonly string[],
  place: Place,
  onInvalid: (field: string, reason: string) => void,
) => void;

/** @returns the listed row that a row of a patch changes, by the cells of the columns so far; undefined if there is none */
type FindBase = (row: CellRow) => CellRow | undefined;

/** What listings and deletions are read with. */
export type RowReading = Reading & {
  readonly timeZone: string;
  readonly productIds: ProductIds;
  readonly textIds: TextIds;
};

/** Checks the cells of each row by the columns' specs, and then the row as a whole, up to the row that cannot be read. Problems go to those of `reading`. */
export async function parseRows(
  reading: RowReading,
  { files, holds, name, isPatch }: RowFiles,
  columns: readonly ColumnSpec[],
  check: RowCheck,
  findBase?: FindBase,
): Promise<ParsedRows> {
  const { problems, productIds, textIds } = reading;
  const zone = new TimeZone(reading.timeZone);
  const given = reading.columns.names[holds];
  const names = new ColumnNames(holds, columns, given);
  const specs = convertColumns(columns, given);
  const parsed: { readonly rows: CellRow[]; readonly places: Place[] } = { rows: [], places: [] };
  const isListing = holds !== DELETIONS_FILE && !isPatch;
  for (const file of await skipEmptyFiles(reading, files, isListing)) {
    for await (const batch of readFile(reading, file, names)) {
      const found = new BatchProblems(problems.limit);
      try {
        const integerOf = (text: string) => textIds.add(text);
        const format = { splitLists: batch.joinsLists, zone, productIds, integerOf, textIds };
        const { rows, wrong, roundings } = await parseBatch(batch, specs, format, found, findBase);
        problems.roundings.add(name, roundings);
        for (const [row, cells] of rows.entries()) {
          const place = { file: file.name, line: batch.lineOf(row) };
          check(cells, wrong.get(row) ?? [], place, (field, reason) => found.add(row, field, reason));
          parsed.rows.push(cells);
          parsed.places.push(place);
        }
      } catch (error) {
        reportUnreadable(file.name, error, problems); // a column of a Parquet file is read when it is checked; first, because problems beyond the limit are only counted
        break;
      } finally {
        problems.addRows(
          file.name,
          found.finish((row) => batch.lineOf(row)),
        );
      }
    }
  }
  problems.warnings.push(
    ...columns.flatMap((spec) => warnOfNullWords(spec, name, parsed)),
    ...warnOfTextIds(name, parsed),
  );
  return parsed;
}

function warnOfTextIds(file: string, { rows }: ParsedRows): string[] {
  const texts = rows.filter(({ idText }) => idText !== undefined);
  const [first] = texts;
  if (first === undefined) return [];
  return [`${file}: ${texts.length} of ${rows.length} ids are texts, such as ${first.idText} (integer ${first.id})`];
}

function warnOfNullWords(spec: ColumnSpec, file: string, { rows, places }: ParsedRows): string[] {
  const name = cellName(spec);
  const found = rows.flatMap((row, index) => (isNullWord(row[name]) ? [index] : []));
  const [first] = found;
  if (first === undefined) return [];
  const example = `${rows[first]?.[name]} in line ${places[first]?.line}`;
  return [`${file}: ${spec.name} is a word for NULL in ${found.length} of ${rows.length} rows, such as ${example}`];
}

/** @returns the valid cells of the batch's rows, and by row, the columns whose value is wrong */
async function parseBatch(
  batch: RowBatch,
  columns: readonly ColumnSpec[],
  format: RowFormat,
  problems: BatchProblems,
  findBase: FindBase | undefined,
) {
  const rows: Record<string, Cell>[] = Array.from({ length: batch.rows }, () => ({}));
  const wrong = new Map<number, string[]>();
  const roundings: Rounding[] = [];
  for (const spec of columns) {
    const values = await batch.read(spec.name);
    const places = spec.type.kind === 'decimal' ? spec.type.places : 0;
    const onRounded = (change: number) => roundings.push({ column: spec.name, places, values: 1, change });
    const onInvisible = () => roundings.push({ column: spec.name, values: 1, change: 0 });
    const rounding = { ...format, onRounded, onInvisible };
    for (const [row, cells] of rows.entries()) {
      const kept = findBase === undefined || row in values ? undefined : findBase(cells)?.[cellName(spec)]; // NDJSON leaves out members, other formats columns
      if (kept !== undefined) cells[cellName(spec)] = kept;
      if (kept !== undefined) continue;
      const reason = parseCell(cells, values[row], spec, rounding);
      if (reason === undefined) continue;
      problems.add(row, spec.name, reason);
      if (!isAbsent(values[row])) wrong.set(row, [...(wrong.get(row) ?? []), spec.name]);
    }
  }
  return { rows, wrong, roundings };
}

type RowFormat = ValueFormat & Pick<RowReading, 'textIds'>;

/** Adds the cell to the row, or its default; an id that is a text is also `idText` and the short id. @returns what is wrong with it */
function parseCell(row: Record<string, Cell>, raw: unknown, spec: ColumnSpec, format: RowFormat): string | undefined {
  if (isAbsent(raw)) {
    const cell = spec.name === 'shortId' ? row.idText : spec.default;
    if (cell !== undefined) row[spec.name] = cell;
    return isRequired(spec, row) ? 'is required' : undefined;
  }
  const parsed = parseValue(raw, spec.type, format);
  if (parsed instanceof Invalid) return parsed.reason;
  const cell = detach(parsed);
  const text = spec.name === 'id' ? format.textIds.textOf(cell) : undefined;
  if (text !== undefined && Number(raw) !== cell) row.idText = text;
  if (isRequired(spec, row) || !isEmptyList(cell)) row[cellName(spec)] = cell;
  return undefined;
}

/** @param row the cells of the columns before */
function isRequired({ required }: ColumnSpec, row: CellRow): boolean {
  return required === true || (required === 'unless deleted' && !isDeleted(row));
}

/** @returns whether a row of a patch removes the listed row with its id */
export function isDeleted(row: CellRow): boolean {
  return row[DELETED_COLUMN.name] === true;
}

/** An empty list counts as absent if the column allows it, because CSV writes both in the same way. */
function isEmptyList(cell: Cell): boolean {
  return Array.isArray(cell) && cell.length === 0;
}

/** A listing as its files make it, with the place of each row. */
export interface ParsedListing {
  readonly listing: ListingFile;
  /** The name of the file, or of the folder with the files. */
  readonly file: string;
  readonly files: readonly string[];
  /** With the delisted rows. */
  readonly rows: readonly CellRow[];
  /** Undefined for the rows of the table that are kept. */
  readonly places: readonly (Place | undefined)[];
  /** Absent if the file has the whole listing. */
  readonly patch?: AppliedPatch;
}

/** What a patch does to its listing. */
export interface AppliedPatch {
  /** The places of the patch's rows that delete, by id, listed or not. */
  readonly deleted: ReadonlyMap<Cell, Place>;
  /** The advertisers that are deleted with everything that belongs to them. */
  readonly cascades: ReadonlySet<number>;
  readonly warnings: readonly string[];
}

/**
 * Checks the rows of one listing or patch, each separately and for unique ids and UPCs.
 * @param base the listed rows that a patch changes: columns that it does not mention keep their values
 * @returns the rows of the files
 */
export function parseListing(
  reading: RowReading,
  found: RowFiles<ListingFile>,
  columns: readonly ColumnSpec[],
  base: readonly CellRow[] | undefined,
): Promise<ParsedRows> {
  const { holds } = found;
  const baseOf = new Map(base?.map((row) => [idKey(holds, row)?.key, row]));
  const firstPlaces = new Map<Cell, Place>();
  const check: RowCheck = (row, wrong, place, onInvalid) => {
    if (!isDeleted(row)) checkRow(holds, row, wrong, onInvalid);
    const id = idKey(holds, row, wrong);
    const text = reading.textIds.textOf(row.id);
    const named = id && text ? { ...id, text: `${text} (integer ${row.id})` } : id;
    checkUnique(named, firstPlaces, row, place, onInvalid);
    checkUnique(upcKey(holds, row), firstPlaces, row, place, onInvalid);
  };
  return parseRows(reading, found, columns, check, base && ((row) => baseOf.get(idKey(holds, row)?.key)));
}

/** A value that may occur once in the file. `text` describes it in messages; absent = the value of the field. */
interface UniqueKey {
  readonly field: string;
  readonly key: Cell;
  readonly text?: string;
}

/** Reports a key that another row has. @param firstPlaces the places of the keys so far, which the key is added to */
export function checkUnique(
  unique: UniqueKey | undefined,
  firstPlaces: Map<Cell, Place>,
  row: CellRow,
  place: Place,
  onInvalid: (field: string, reason: string) => void,
): void {
  if (unique === undefined) return;
  const { field, key, text } = unique;
  const first = firstPlaces.get(key);
  if (first === undefined) firstPlaces.set(key, place);
  else onInvalid(field, `${text ?? row[field]} is already in ${describePlace(first, place)}`);
}

function describePlace({ file, line }: Place, from: Place): string {
  return file === from.file ? `line ${line}` : `${file}:${line}`;
}

/**
 * @returns what identifies the row in its listing: the id; of freshness, the experience and advertiser or table; of budgets, what has it and the day. Undefined if it
 * is wrong or absent.
 */
export function idKey(listing: ListingFile, row: CellRow, wrong: readonly string[] = []): UniqueKey | undefined {
  if (listing === 'freshness') return freshnessKey(row, wrong);
  if (listing === 'budgets') return budgetKey(row);
  const field = listingColumns(listing)[0]?.name ?? '';
  const key = row[field];
  return key === undefined ? undefined : { field, key };
}

function freshnessKey({ experience, advertiserId, table }: CellRow, wrong: readonly string[]): UniqueKey | undefined {
  if (experience === undefined || wrong.includes('advertiserId') || wrong.includes('table')) return undefined;
  if (table !== undefined)
    return { field: 'table', key: `${experience}//${table}`, text: `${table} with ${experience}` };
  if (advertiserId === undefined)
    return { field: 'experience', key: experience, text: `${experience} without advertiserId` };
  return { field: 'advertiserId', key: `${experience}/${advertiserId}`, text: `${advertiserId} with ${experience}` };
}

function budgetKey({ validFrom, campaignId, adGroupId }: CellRow): UniqueKey | undefined {
  if (validFrom === undefined || (campaignId === undefined) === (adGroupId === undefined)) return undefined;
  const [field, id] = adGroupId === undefined ? ['campaignId', campaignId] : ['adGroupId', adGroupId];
  return { field, key: `${field} ${id} ${validFrom}`, text: `${id} with ${validFrom}` };
}

/** @returns the UPC of a product, which is unique per advertiser; undefined for other rows */
export function upcKey(listing: ListingFile, row: CellRow): UniqueKey | undefined {
  const { advertiserId, upc } = row;
  if (listing !== 'products' || upc === undefined || advertiserId === undefined || isDeleted(row)) return undefined;
  return { field: 'upc', key: `${advertiserId}/${upc}` };
}

/** Checks the cells of a row against each other. @param wrong columns whose value is missing from the row because it is wrong */
function checkRow(
  listing: ListingFile,
  row: CellRow,
  wrong: readonly string[],
  onInvalid: (field: string, reason: string) => void,
): void {
  const { startDate, endDate, accountId, accountIds, userType } = row;
  const isGiven = (column: string) => column in row || wrong.includes(column);
  if (row[CASCADE_COLUMN.name] === true) onInvalid(CASCADE_COLUMN.name, `requires ${DELETED_COLUMN.name}`);
  if (listing === 'budgets' && isGiven('campaignId') === isGiven('adGroupId')) {
    onInvalid('adGroupId', 'is required without campaignId, and not allowed with it');
  }
  if (listing === 'freshness' && isGiven('table') && isGiven('advertiserId')) {
    onInvalid('table', 'is not allowed with advertiserId');
  }
  if (isGiven('budget') && !isGiven('budgetType')) onInvalid('budgetType', 'is required with budget');
  if (isGiven('budgetType') && !isGiven('budget')) onInvalid('budget', 'is required with budgetType');
  if (startDate !== undefined && endDate !== undefined && endDate < startDate) {
    onInvalid('endDate', `must not be before startDate, ${startDate}`);
  }
  if (
    listing === 'advertisers' &&
    accountId !== undefined &&
    Array.isArray(accountIds) &&
    !accountIds.includes(accountId)
  ) {
    onInvalid('accountIds', `must contain accountId, ${accountId}`);
  }
  if (listing === 'users' && userType === 'CPG' && Array.isArray(accountIds) && accountIds.includes(ALL_ACCOUNTS)) {
    onInvalid('accountIds', 'must not be * with the userType CPG');
  }
}
