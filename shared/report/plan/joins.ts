import type { DimensionTable } from '../../catalog/definitions.ts';
import { DIMENSION_COLUMNS, PLATFORM_TABLES } from '../../catalog/dimension-tables.ts';
import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import type { MetricName } from '../../catalog/metrics.ts';
import type { Experience, FactTable } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import { dayNumber, type Weekday } from '../../lib/calendar.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import type { ReportScope, ReportSettings } from '../query/query.ts';
import { MAX_NAMES, rejectAbove } from '../query/too-expensive.ts';
import { JoinedTable } from './joined-table.ts';
import { NAMES } from './names.ts';
import { attributeOf, type Plan } from './plan-report.ts';

/** @returns whether the values of the dimension are those of its base column, without a join or a computation */
export function hasBaseValues(name: DimensionName): boolean {
  const { join, ofDay } = dimensionOf(name);
  return join === undefined && ofDay === undefined;
}

/** The version of a dimension table: its name, advertiser (`PLATFORM_ID` for all), and the last load that has changed it. */
type TableVersion = readonly [table: DimensionTable, advertiserId: number, version: number];

/** Tables with rows of others, which a report must not see. */
const TABLES_OF_OTHERS: readonly DimensionTable[] = ['accounts', 'advertisers', 'freshness'];

/** The dimension tables of a report, as of its commit. They translate the ids in facts to values of dimensions and attributes. */
export class Joins {
  readonly #tables: ReadonlyMap<DimensionTable, ReadonlyMap<number, JoinedTable>>;
  readonly #accountIds: ReadonlySet<number>;
  readonly #weekStartsOn: Weekday;
  readonly #versions: readonly TableVersion[];
  /** By column and advertiser, each found once: with many owners, repeating it would take so long that the time shows how many others there are. */
  readonly #accountNames = new Map<string, Map<KeyValue, KeyValue>>();
  /** The names of the caller's accounts by the list of all owners, which most advertisers of a caller share. */
  readonly #namesByOwners = new Map<string, KeyValue>();

  constructor(
    tables: ReadonlyMap<DimensionTable, ReadonlyMap<number, JoinedTable>>,
    accountIds: ReadonlySet<number>,
    weekStartsOn: Weekday,
    versions: readonly TableVersion[] = [],
  ) {
    this.#tables = tables;
    this.#accountIds = accountIds;
    this.#weekStartsOn = weekStartsOn;
    this.#versions = versions;
  }

  /** @returns the value of `field` (a dimension or attribute metric) for facts with this base value; null where the join has no row */
  valueOf(field: DimensionName | MetricName, advertiserId: number, base: KeyValue): KeyValue {
    if (!isDimension(field)) return this.attribute(field, advertiserId, base);
    const { join, ofDay } = dimensionOf(field);
    if (join !== undefined) return this.#joined(join.table, join.column, advertiserId, base);
    return ofDay === undefined ? base : ofDay(dayNumber(String(base)), this.#weekStartsOn);
  }

  /** @returns the value of a column of the ad group; a missing start or end date is taken from its campaign */
  adGroup(advertiserId: number, adGroupId: KeyValue, column: string): KeyValue {
    const own = this.#get('ad_groups', advertiserId, adGroupId, column);
    if (own !== null || (column !== 'startDate' && column !== 'endDate')) return own;
    return this.campaign(advertiserId, this.#get('ad_groups', advertiserId, adGroupId, 'campaignId'), column);
  }

  /** @returns the value of a column of the campaign */
  campaign(advertiserId: number, campaignId: KeyValue, column: string): KeyValue {
    return this.#get('campaigns', advertiserId, campaignId, column);
  }

  advertiserName(advertiserId: number): KeyValue {
    return this.#get('advertisers', PLATFORM_ID, advertiserId, 'name');
  }

  /** @returns the versions of the tables whose rows the report may all see */
  versions(): readonly TableVersion[] {
    return this.#versions;
  }

  /** The number of ad groups of the report's advertisers. */
  get adGroupCount(): number {
    return [...(this.#tables.get('ad_groups')?.values() ?? [])].reduce((sum, { keys }) => sum + keys.length, 0);
  }

  /** @returns the keys of all rows of the advertiser's table; of PLATFORM_ID for a table of the platform */
  keys(table: DimensionTable, advertiserId: number): Iterable<KeyValue> {
    return this.#tables.get(table)?.get(advertiserId)?.keys ?? [];
  }

  /** @returns the value of an attribute metric for the ad group or its campaign; null for any other metric */
  attribute(name: MetricName, advertiserId: number, adGroupId: KeyValue): KeyValue {
    const definition = attributeOf(name);
    if (definition === undefined) return null;
    if (definition.entity === 'ad_group') return this.adGroup(advertiserId, adGroupId, definition.column);
    return this.campaign(advertiserId, this.adGroup(advertiserId, adGroupId, 'campaignId'), definition.column);
  }

  /** @returns the day through which the freshness table declares a fact table complete, or the advertiser's data, or that of all advertisers; null without such a row */
  freshness(experience: Experience, of: number | FactTable): string | null {
    const day = (key: string) => this.#get('freshness', PLATFORM_ID, key, 'completeThrough');
    const found =
      typeof of === 'string' ? day(`${experience}//${of}`) : (day(`${experience}/${of}`) ?? day(`${experience}/`));
    return found === null ? null : String(found);
  }

  #joined(table: DimensionTable, column: string, advertiserId: number, base: KeyValue): KeyValue {
    switch (table) {
      case 'accounts':
        return this.#accountNamesOf(base, column);
      case 'advertisers':
        return column === 'id' ? base : this.#get('advertisers', PLATFORM_ID, base, column);
      case 'placements':
      case 'creatives':
        return this.#get(table, PLATFORM_ID, base, column);
      case 'campaigns': {
        const campaignId = this.adGroup(advertiserId, base, 'campaignId');
        return column === 'id' ? campaignId : this.campaign(advertiserId, campaignId, column);
      }
      case 'insertion_orders':
        return this.#get('insertion_orders', advertiserId, this.adGroup(advertiserId, base, 'campaignId'), column);
      default:
        return this.#get(table, advertiserId, base, column);
    }
  }

  /** Names only the caller's own accounts, so that other accounts that own the advertiser cannot be inferred. */
  #accountNamesOf(advertiserId: KeyValue, column: string): KeyValue {
    const ofColumn = this.#accountNames.get(column) ?? new Map<KeyValue, KeyValue>();
    this.#accountNames.set(column, ofColumn);
    let names = ofColumn.get(advertiserId);
    if (names === undefined) {
      names = this.#findAccountNames(advertiserId, column);
      ofColumn.set(advertiserId, names);
    }
    return names;
  }

  #findAccountNames(advertiserId: KeyValue, column: string): KeyValue {
    const advertiser = (name: string) => String(this.#get('advertisers', PLATFORM_ID, advertiserId, name) ?? '');
    const owners = advertiser('accountIds');
    const ids = () => {
      const all = owners.split(',').map(Number);
      return all.filter((id) => this.#accountIds.has(id));
    };
    if (column === 'primaryName') return this.#primaryNameOf(ids(), Number(advertiser('accountId')));
    const names = this.#namesByOwners.get(owners) ?? this.#namesOf(ids());
    this.#namesByOwners.set(owners, names);
    return names;
  }

  #accountName(id: KeyValue): KeyValue {
    return this.#get('accounts', PLATFORM_ID, id, 'name');
  }

  /** @returns the names of the accounts as one text */
  #namesOf(ids: readonly number[]): KeyValue {
    const names = ids.map((id) => this.#accountName(id)).filter((name) => typeof name === 'string');
    return names.length === 0 ? null : sortTexts(names).join(', ');
  }

  /** If the primary account is not one of the caller's, that of `ids` with the lowest id is named instead. */
  #primaryNameOf(ids: readonly number[], primary: number): KeyValue {
    return this.#accountName(ids.includes(primary) ? primary : (ids.toSorted((a, b) => a - b)[0] ?? null));
  }

  #get(table: DimensionTable, advertiserId: number, key: KeyValue, column: string): KeyValue {
    return this.#tables.get(table)?.get(advertiserId)?.get(key, column) ?? null;
  }
}

/**
 * @returns the dimension tables, with the columns that the dimensions, conditions, attributes and planned costs of the plans need
 * @throws ApiError REPORT_TOO_EXPENSIVE where they have too many values
 */
export async function loadJoins(
  source: SegmentSource,
  plans: readonly Plan[],
  scope: ReportScope,
  { weekStartsOn }: Pick<ReportSettings, 'weekStartsOn'>,
): Promise<Joins> {
  const needed = neededColumns(plans);
  const versions: TableVersion[] = [];
  let names = 0;
  const tables = await Promise.all(
    [...needed].map(async ([table, columns]) => {
      const isPlatform = PLATFORM_TABLES.includes(table);
      const encoded = await source.dimensionTables(table, isPlatform ? [PLATFORM_ID] : scope.advertiserIds, [
        ...columns,
      ]);
      const decoded = new Map<number, JoinedTable>();
      for (const [advertiserId, rows] of encoded) {
        if (!TABLES_OF_OTHERS.includes(table)) versions.push([table, advertiserId, rows.version]);
        names += rows.rows * rows.columns.size;
        rejectAbove(MAX_NAMES, names, 'names');
        decoded.set(advertiserId, JoinedTable.decode(table, rows));
      }
      return [table, decoded] as const;
    }),
  );
  return new Joins(new Map(tables), scope.accountIds, weekStartsOn, versions.sort());
}

/** @returns the name of an advertiser; null where it has none */
export type AdvertiserName = (advertiserId: number) => string | number | null;

/** @returns the names of advertisers, for warnings that few reports have */
export async function loadAdvertiserNames(source: SegmentSource): Promise<AdvertiserName> {
  const encoded = await source.dimensionTables('advertisers', [PLATFORM_ID], ['id', 'name']);
  const rows = encoded.get(PLATFORM_ID);
  const table = rows && JoinedTable.decode('advertisers', rows);
  return (id) => table?.get(id, 'name') ?? null;
}

/** @returns the columns to read of each table, always with its key */
function neededColumns(plans: readonly Plan[]): Map<DimensionTable, Set<string>> {
  const needed = new Map<DimensionTable, Set<string>>();
  const add = (table: DimensionTable, ...columns: string[]) => {
    const set = needed.get(table) ?? new Set<string>([DIMENSION_COLUMNS[table][0]]);
    for (const column of columns) set.add(column);
    needed.set(table, set);
  };
  const addField = (field: DimensionName | MetricName) => {
    if (isDimension(field)) {
      const { join } = dimensionOf(field);
      if (join === undefined) return;
      if (join.table === 'accounts') {
        add('accounts', 'name');
        add('advertisers', 'accountId', 'accountIds');
      } else {
        add(join.table, join.column);
      }
      const [, id] = NAMES.get(field) ?? [];
      if (id !== undefined) addField(id);
      if (join.table === 'campaigns' || join.table === 'insertion_orders') add('ad_groups', 'campaignId');
      return;
    }
    const attribute = attributeOf(field);
    if (attribute === undefined) return;
    add('ad_groups', 'campaignId');
    add(attribute.entity === 'ad_group' ? 'ad_groups' : 'campaigns', attribute.column);
    if (attribute.column === 'startDate' || attribute.column === 'endDate') add('campaigns', attribute.column);
  };
  add('freshness', 'completeThrough');
  for (const plan of plans) {
    for (const field of plan.query.dimensions) addField(field);
    for (const { field } of plan.rowConditions.flatMap(({ fields }) => fields)) addField(field);
    for (const name of plan.query.metrics) addField(name);
    if (plan.planned === undefined) continue;
    const columns = ['name', 'startDate', 'endDate', 'budget', 'budgetType', 'budgets', 'status', 'archived'];
    add('ad_groups', 'campaignId', 'experience', ...columns);
    add('campaigns', ...columns);
    add('advertisers', 'name');
  }
  return needed;
}
