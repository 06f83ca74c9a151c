import type { DimensionName } from '../../catalog/dimensions.ts';
import type { Joins } from '../plan/joins.ts';
import type { ReportQuery, ReportWarning } from '../query/query.ts';
import type { GroupedFacts } from '../scan/scan-facts.ts';

/** The dimensions of names that may stand for several things: what these are, and the dimension that tells them apart. */
const NAMES: ReadonlyMap<DimensionName, readonly [things: string, id: DimensionName]> = new Map([
  ['campaign_name', ['campaigns', 'campaign_id']],
  ['ad_group_name', ['ad groups', 'ad_group_id']],
  ['advertiser_name', ['advertisers', 'advertiser_id']],
  ['creative_name', ['creatives', 'creative_key']],
  ['entity_name', ['products', 'entity_id']],
]);
/** Sizes of a pack share a name on purpose: their names are counted, not quoted. */
const COUNTED: DimensionName = 'entity_name';

/**
 * @param kept the groups that are rows of the report
 * @returns one warning per dimension some of whose names stand for several things of the report in one row; none where their ids are dimensions or filtered
 */
export function warnNamesakes(
  { dimensions, filters }: ReportQuery,
  { axes, table }: Pick<GroupedFacts, 'axes' | 'table'>,
  joins: Joins,
  kept: Uint32Array,
): ReportWarning[] {
  const isPerAdvertiser = dimensions.includes('advertiser_id') || dimensions.includes('advertiser_name');
  return dimensions.flatMap((field): ReportWarning[] => {
    const [things, id] = NAMES.get(field) ?? [];
    if (id === undefined || dimensions.includes(id) || filters.some((filter) => filter.field === id)) return [];
    const index = axes.findIndex(({ axis }) => axis.dimensions.includes(field));
    const ids = new Map<string, Set<unknown>>();
    for (const [owner, base, code] of axes[index]?.bases() ?? []) {
      const key = isPerAdvertiser ? `${code}/${owner}` : String(code);
      ids.set(key, (ids.get(key) ?? new Set()).add(joins.valueOf(id, owner, base)));
    }
    const shared = new Map([...ids].flatMap(([key, { size }]) => (size > 1 ? [[Number.parseInt(key, 10), size]] : [])));
    if (shared.size === 0) return [];
    const codes = new Set(Array.from(kept, (group) => table.codeAt(group, index)).filter((code) => shared.has(code)));
    const names = axes[index]?.valuesOf(field) ?? [];
    const [first] = [...codes].filter((code) => names[code] !== null);
    if (first === undefined) return [];
    const others = codes.size === 1 ? '' : `, and ${codes.size - 1} other names stand for several`;
    const which =
      field === COUNTED
        ? `Names that several products have: ${codes.size}`
        : `"${names[first]}" is the name of ${shared.get(first)} ${things}${others}`;
    return [{ code: 'SHARED_NAME', field, detail: `${which}; add ${id}.`, drop: [] }];
  });
}
