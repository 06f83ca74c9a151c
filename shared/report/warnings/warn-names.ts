import { type DimensionName, dimensionOf } from '../../catalog/dimensions.ts';
import type { BaseColumn } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import { quoteText } from '../../lib/quote-text.ts';
import type { Joins } from '../plan/joins.ts';
import { NAMES } from '../plan/names.ts';
import type { ReportWarning } from '../query/query.ts';
import type { AxisCodes } from '../scan/axes.ts';
import type { GroupedFacts } from '../scan/scan-facts.ts';
import type { DescribedReport } from './described-report.ts';
import { text, titles, warn } from './warning.ts';

/**
 * @returns one warning per dimension some of whose names in the rows or in filters stand for several things of these advertisers that pass the
 * filters; none where the ids of the things are dimensions
 */
export function warnNamesakes({ plan, joins, selected: { advertiserIds }, found }: DescribedReport): ReportWarning[] {
  if (found === undefined) return [];
  const { query, rowConditions } = plan;
  const { dimensions, filters } = query;
  const { axes } = found.rows;
  const isByAdvertiser = dimensions.includes('advertiser_id') || dimensions.includes('advertiser_name');
  return [...NAMES].flatMap(([field, [noun, id]]): ReportWarning[] => {
    const compared = filters.filter((filter) => filter.field === field).flatMap(({ values }) => values);
    if (!(dimensions.includes(field) || compared.length > 0) || dimensions.some((name) => name === id)) return [];
    const { base: column } = dimensionOf(field);
    const axis = axes.find(({ axis }) => axis.dimensions.includes(field));
    const conditions = rowConditions.filter((condition) => condition.base === column);
    const passing = [...thingsOf(column, axis, joins, advertiserIds)].filter((thing) =>
      conditions.every(({ passes }) => passes(joins, ...thing)),
    );
    const things = new Map<KeyValue, ReadonlySet<string | number>>();
    for (const part of Map.groupBy(
      passing,
      ([owner]) => isByAdvertiser && field !== 'advertiser_name' && owner,
    ).values())
      for (const [name, own] of Map.groupBy(part, (thing) => joins.valueOf(field, ...thing))) {
        const ids = new Set(own.flatMap(([owner, base]) => (id ? joins.valueOf(id, owner, base) : base) ?? []));
        if (ids.size > (things.get(name)?.size ?? 1)) things.set(name, ids);
      }
    const present = axis === undefined ? compared : valuesIn(found.rows, field, found.kept);
    const shared = sortTexts(
      [...new Set(present)].filter((name) => typeof name === 'string' && things.has(name)).map(String),
    );
    const [first] = shared;
    if (first === undefined) return [];
    const others = shared.length === 1 ? '' : `, and ${shared.length - 1} other names stand for several`;
    const ids = [...(things.get(first) ?? [])].sort((a, b) => (a < b ? -1 : 1)); // rollups have them in another order
    const which = text`${quoteText(first)} is the name of ${ids.length} ${noun}${others}${id ? text`; add ${titles([id])}` : ''}.`;
    return [warn('SHARED_NAME', [field], { ...which, things: ids.map((own) => ({ id: own, name: first })) })];
  });
}

/** @returns the values of the dimension in the groups */
export function valuesIn(
  { axes, table }: Pick<GroupedFacts, 'axes' | 'table'>,
  field: DimensionName,
  groups: Uint32Array,
): ReadonlySet<KeyValue> {
  const index = axes.findIndex(({ axis }) => axis.dimensions.includes(field));
  const values = axes[index]?.valuesOf(field);
  return new Set(Array.from(groups, (group) => values?.[table.codeAt(group, index)] ?? null));
}

/** @returns what may have the names of a base column, with its advertiser: what the rows have; all that the advertisers have, where rows are not by it */
function thingsOf(
  base: BaseColumn,
  axis: AxisCodes | undefined,
  joins: Joins,
  advertiserIds: readonly number[],
): Iterable<readonly [number, KeyValue]> {
  if (axis !== undefined) return axis.bases();
  if (base === 'advertiser') return advertiserIds.map((id) => [id, id] as const);
  if (base === 'placement_id') return Array.from(joins.keys('placements', PLATFORM_ID), (id) => [0, id] as const);
  if (base === 'creative_key') return []; // whose table has those of others, too
  const table = base === 'ad_group_id' ? 'ad_groups' : 'products';
  return advertiserIds.flatMap((id) => Array.from(joins.keys(table, id), (key) => [id, key] as const));
}
