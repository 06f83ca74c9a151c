import { createHash } from 'node:crypto';
import { CUSTOM_FIELDS } from '../../catalog/custom-fields.ts';
import { dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { type Experience, experiencesIn } from '../../catalog/tables.ts';
import { type FactHead, PLATFORM_ID } from '../../layout/partitions.ts';
import { ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import type { ReportScope, ReportSettings } from '../query/query.ts';
import type { Completeness } from './completeness.ts';
import type { Joins } from './joins.ts';
import type { Plan } from './plan-report.ts';
import type { FactSources } from './shards.ts';

interface VersionInput {
  readonly plan: Plan;
  readonly scope: ReportScope;
  readonly settings: ReportSettings;
  readonly facts: FactSources;
  /** The fact heads of the caller's other advertisers, and whether market is read: both for share of voice. */
  readonly otherHeads: ReadonlyMap<number, FactHead>;
  readonly readsMarket: boolean;
  readonly joins: Joins;
  readonly completeness: Completeness;
}

/**
 * The version does not depend on the period, filters' values or metrics, so reports of two periods can be compared. Of what others have, it depends on the
 * days with rows of any advertiser, placements, creatives and, for share of voice, market.
 * @returns a digest of the versions of everything that the report's figures, names and statements about the data are made from
 */
export function dataVersionOf(input: VersionInput): string {
  const { plan, scope, settings, facts, otherHeads, readsMarket, joins, completeness } = input;
  const experiences = experiencesIn(plan.query.experience);
  const inEach = <T>(of: (experience: Experience) => T) => experiences.map(of);
  const platform = facts.heads.get(PLATFORM_ID);
  const ids = scope.advertiserIds;
  const parts = [
    settings,
    inEach((name) => [...(platform?.days?.get(name) ?? [])]),
    inEach((name) => ids.map((id) => completeness.lastDayOf(id, name))),
    inEach((name) => ROLLUP_TABLES.map((table) => joins.freshness(name, table))),
    readsMarket ? inEach((name) => platform?.versions.get(name)) : 0,
    inEach((name) => factVersions(facts, name)),
    [...otherHeads].map(([id, { versions }]) => [id, inEach((name) => versions.get(name))]),
    joins.versions(),
    advertiserFields(plan).map((field) => ids.map((id) => joins.valueOf(field, id, id))),
    ...(hasCustomField(plan) ? [CUSTOM_FIELDS] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** @returns the last load that has changed what the version depends on, besides the days of all advertisers, freshness, and names of accounts and advertisers */
export function lastLoadOf({ plan, facts, otherHeads, readsMarket, joins }: VersionInput): number {
  const loads = experiencesIn(plan.query.experience).flatMap((name) => [
    ...factVersions(facts, name).map(([, n]) => n),
    ...[...otherHeads.values()].map(({ versions }) => versions.get(name) ?? 0),
    readsMarket ? (facts.heads.get(PLATFORM_ID)?.versions.get(name) ?? 0) : 0,
  ]);
  return Math.max(0, ...loads, ...joins.versions().map(([, , n]) => n));
}

function hasCustomField({ query }: Plan): boolean {
  const fields = [...query.metrics, ...query.dimensions, ...query.filters.map(({ field }) => field)];
  return fields.some((name) => Object.values(CUSTOM_FIELDS).some((declared) => Object.hasOwn(declared, name)));
}

/** @returns the last loads that changed facts of the report's advertisers */
function factVersions({ heads, shards }: FactSources, experience: Experience): (readonly [number, number])[] {
  const versions = new Map([...heads].map(([id, head]) => [id, head.versions]));
  versions.delete(PLATFORM_ID);
  for (const { shard, advertiserIds } of shards)
    for (const id of advertiserIds) versions.set(id, shard.versions.get(id) ?? new Map());
  return [...versions]
    .map(([id, ofAdvertiser]) => [id, ofAdvertiser.get(experience) ?? 0] as const)
    .sort(([a], [b]) => a - b);
}

/** @returns the dimensions of the report whose values are of advertisers and accounts, where the tables have those of others, too */
function advertiserFields({ query, rowConditions }: Plan) {
  const fields = [
    ...query.dimensions,
    ...rowConditions.flatMap((condition) => condition.fields.map(({ field }) => field)),
  ];
  return fields.filter((field) => isDimension(field) && dimensionOf(field).base === 'advertiser');
}
