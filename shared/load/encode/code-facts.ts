import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProductIds } from '../../catalog/dimensions.ts';
import type { Experience, KeyColumn, Measure } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { type CodedKeys, NO_KEYS } from '../../columns/coded-keys.ts';
import type { KeyValue, ShopperData } from '../../columns/column.ts';
import { shopperHasher } from '../../columns/hash-shopper.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { EmptyCells } from '../schema/empty-cells.ts';
import { BOUNDED_BY, explainForbiddenColumn, type FactColumn } from '../schema/fact-columns.ts';
import { countInvisible, removeInvisible } from '../schema/invisible.ts';
import { CODED_HOURS, parseHourOfDay } from '../schema/parse-day.ts';
import { parseValue, placesOf, type ValueFormat } from '../schema/parse-value.ts';
import { type BatchProblems, explainUnknownId } from '../schema/problems.ts';
import type { Rounding } from '../schema/roundings.ts';
import { type Cell, Invalid } from '../schema/value-types.ts';
import type { RowBatch } from '../source/row-batch.ts';
import { hashShoppers, isEmpty, KeyCoder, MeasureCoder, type OnInvalid } from './code-column.ts';
import { deriveMeasures } from './derive-measures.ts';
import type { AdvertisedProducts } from './split-purchases.ts';

/** What fact rows are checked against and coded with. Plain data, so that it can be sent to worker threads. */
export interface References extends AdvertisedProducts {
  /** The platform's zone, an IANA name. */
  readonly timeZone: string;
  readonly productIds: ProductIds;
  /** The secret with which shopper ids are hashed. */
  readonly userIdKey: Uint8Array;
  /** The ids of the listings that facts refer to, by name. A listing that could not be read completely is absent: any id is then accepted, and nothing will be loaded. */
  readonly ids: ReadonlyMap<string, ReadonlySet<number>>;
  /** Those that a patch has deleted. */
  readonly deletedIds?: ReadonlyMap<string, ReadonlySet<number>>;
  /** The texts of these ids, by their integers, if they are texts. */
  readonly texts: ReadonlyMap<number, string>;
  /** The advertiser of each ad group. */
  readonly owners: ReadonlyMap<number, number>;
  /** The keys of all creatives. */
  readonly creatives: ReadonlySet<string>;
}

/** The checked rows of a batch: keys as codes of dictionaries, measures scaled to integers, shoppers hashed. */
export interface CodedFacts extends FactRows {
  /** The advertiser of each row; 0 for market (`PLATFORM_ID`), and where it is not known. */
  readonly advertisers: Float64Array;
  readonly roundings: readonly Rounding[];
  readonly emptyCells: readonly EmptyCells[];
  /** By measure, 1 for each row with an empty cell; absent = none. */
  readonly emptyRows: ReadonlyMap<Measure, Uint8Array>;
  /** Whether rows of this or an earlier batch have a keyword that is a word for NULL. */
  readonly mayHaveNullWords: boolean;
}

/** The columns of a batch that have been coded. */
interface CodedColumns {
  readonly keys: Map<KeyColumn, CodedKeys>;
  readonly measures: Map<Measure, Float64Array>;
  readonly roundings: Rounding[];
  readonly emptyCells: EmptyCells[];
  readonly emptyRows: Map<Measure, Uint8Array>;
  shoppers?: ShopperData;
}

type CodeColumn = (values: ArrayLike<unknown>, rows: number, onInvalid: OnInvalid, coded: CodedColumns) => void;

/** Checks and codes the rows of fact files of one table, batch by batch. */
export class FactCoder {
  readonly #columns: readonly { readonly name: string; readonly code: CodeColumn }[];
  readonly #references: References;
  #mayHaveNullWords = false;

  /** @param columns of one table, with the types of their values in the files */
  constructor(columns: readonly FactColumn[], experience: Experience, references: References, format: ValueFormat) {
    this.#references = references;
    const onNullWord = () => {
      this.#mayHaveNullWords = true; // each distinct keyword is parsed only once
    };
    this.#columns = columns.map((spec) => {
      return { name: spec.name, code: codeColumn(spec, experience, references, { ...format, onNullWord }) };
    });
  }

  async code(batch: RowBatch, problems: BatchProblems): Promise<CodedFacts> {
    const { rows } = batch;
    const coded: CodedColumns = {
      ...{ keys: new Map(), measures: new Map(), roundings: [], emptyCells: [], emptyRows: new Map() },
    };
    for (const { name, code } of this.#columns) {
      await nextTurn(); // a column may take seconds, and the load's time limit is a timer
      code(await batch.read(name), rows, (row, reason) => problems.add(row, name, reason), coded);
    }
    takeDays(coded.keys, problems);
    checkBounds(coded.measures, problems);
    const advertisers = this.#advertisersOf(rows, coded.keys.get('ad_group_id'));
    const facts = deriveMeasures({ rows, ...coded }, advertisers, this.#references);
    return { ...facts, advertisers, mayHaveNullWords: this.#mayHaveNullWords };
  }

  #advertisersOf(rows: number, adGroups: CodedKeys | undefined): Float64Array {
    const advertisers = new Float64Array(rows);
    if (adGroups === undefined) return advertisers;
    const { dictionary, codes } = adGroups;
    let last = 0;
    let advertiser = 0;
    for (let row = 0; row < rows; row++) {
      const code = codes[row] ?? 0;
      if (code !== last) {
        last = code;
        advertiser = this.#references.owners.get(Number(dictionary[code])) ?? 0;
      }
      advertisers[row] = advertiser;
    }
    return advertisers;
  }
}

function codeColumn(spec: FactColumn, experience: Experience, references: References, format: ValueFormat): CodeColumn {
  const isRequired = spec.required !== undefined;
  switch (spec.role) {
    case 'key': {
      let mayBeInvisible = false;
      const onInvisible = () => {
        mayBeInvisible = true; // each distinct value is parsed only once
      };
      const parse = keyParser(spec, spec.key, experience, references, { ...format, onInvisible });
      const coder = new KeyCoder(parse, spec.required ?? false);
      return (values, rows, onInvalid, { keys, roundings }) => {
        if (spec.required === 'in all rows or none' && isEmpty(values)) return; // as if the section lacked the column
        keys.set(spec.key, coder.code(values, rows, onInvalid));
        const invisible = mayBeInvisible ? countInvisible(values) : 0;
        if (invisible > 0) roundings.push({ column: spec.name, values: invisible, change: 0 });
      };
    }
    case 'measure': {
      const coder = new MeasureCoder(spec.type, isRequired);
      const [column, places] = [spec.name, placesOf(spec.type)];
      return (values, rows, onInvalid, { measures, roundings, emptyCells, emptyRows }) => {
        const rounded = { column, places, values: 0, change: 0 };
        const onRounded = (change: number) => {
          rounded.values++;
          rounded.change += change;
        };
        if (values.length === 0 && !isRequired) return; // the section lacks the column
        const empty = { column, rows: 0, impressions: 0 };
        const onEmpty = (row: number) => {
          if (empty.rows++ === 0) emptyRows.set(spec.measure, new Uint8Array(rows));
          emptyRows.get(spec.measure)?.fill(1, row, row + 1);
          empty.impressions += measures.get('impressions')?.[row] ?? 0; // they are the first measure
        };
        measures.set(spec.measure, coder.code(values, rows, { onInvalid, onRounded, onEmpty }));
        if (rounded.values > 0) roundings.push(rounded);
        const isMeant = spec.measure === 'market_advertisers'; // empty says that the number is not known
        if (empty.rows > 0 && !isMeant) emptyCells.push(empty);
      };
    }
    case 'users': {
      const hashShopper = shopperHasher(references.userIdKey);
      return (values, rows, onInvalid, coded) => {
        let invisible = 0;
        const onInvisible = () => void invisible++;
        coded.shoppers = hashShoppers(values, rows, format.splitLists, hashShopper, onInvalid, onInvisible);
        if (invisible > 0) coded.roundings.push({ column: spec.name, values: invisible, change: 0 });
      };
    }
  }
}

/** @returns a function that parses a raw value of the key column into the stored value; a date becomes its day number */
function keyParser(
  spec: FactColumn,
  key: KeyColumn,
  experience: Experience,
  references: References,
  format: ValueFormat,
): (raw: unknown) => KeyValue | Invalid {
  const forbidden = explainForbiddenColumn(key, experience);
  if (forbidden !== undefined) return () => new Invalid(forbidden);
  const ids = references.ids.get(spec.refers ?? '');
  return (raw) => {
    const cell = (key === 'hour' && parseHourOfDay(raw, format.zone)) || parseValue(raw, spec.type, format);
    if (cell instanceof Invalid) return cell;
    if (key === 'date') return dayOf(cell);
    if (typeof cell !== 'number') return String(cell);
    const isInteger = Number(removeInvisible(raw)) === cell;
    if (ids === undefined || (ids.has(cell) && (isInteger || references.texts.has(cell)))) return cell;
    const isDeleted = references.deletedIds?.get(spec.refers ?? '')?.has(cell);
    return new Invalid(explainUnknownId(isInteger ? cell : raw, spec.refers, isDeleted));
  };
}

/** The first and the last day that facts may have. They bound the number of months in an advertiser's fact head, which is read whole. */
const [FIRST_DATE, LAST_DATE] = ['2000-01-01', '2099-12-31'];

function dayOf(cell: Cell): number | Invalid {
  const date = String(cell);
  if (date >= FIRST_DATE && date <= LAST_DATE) return dayNumber(date);
  return new Invalid(`must be from ${FIRST_DATE} to ${LAST_DATE}, not ${cell}`);
}

/** Takes the day away from hours that are given with it. A day other than the row's is a problem. */
function takeDays(keys: CodedColumns['keys'], problems: BatchProblems): void {
  const { dictionary: days, codes: dates } = keys.get('date') ?? NO_KEYS;
  const { dictionary, codes } = keys.get('hour') ?? NO_KEYS;
  if (!dictionary.some((hour) => Number(hour) >= CODED_HOURS)) return;
  for (const [row, code] of codes.entries()) {
    const [hour, date] = [Number(dictionary[code]), days[dates[row] ?? 0]];
    const day = Math.floor(hour / CODED_HOURS);
    if (typeof date === 'number' && day > 0 && day !== date)
      problems.add(
        row,
        'hour',
        `is of ${formatDay(day)}, and daily_date is ${formatDay(date)}: write the day of the hour`,
      );
  }
  keys.set('hour', { dictionary: dictionary.map((hour) => hour && Number(hour) % CODED_HOURS), codes });
}

function checkBounds(measures: ReadonlyMap<Measure, Float64Array>, problems: BatchProblems): void {
  for (const [smaller, greater] of BOUNDED_BY) {
    const lower = measures.get(smaller);
    const upper = measures.get(greater);
    if (lower === undefined || upper === undefined) continue;
    for (let row = 0; row < lower.length; row++) {
      const most = upper[row] ?? 0;
      if (most >= 0 && most < (lower[row] ?? 0)) problems.add(row, greater, `must be at least ${smaller}`);
    }
  }
}
