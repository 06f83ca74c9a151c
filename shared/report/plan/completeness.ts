import { type Experience, experiencesIn, type ReportExperience } from '../../catalog/tables.ts';
import { lastCompleteDay } from '../../layout/last-complete-day.ts';
import { type FactHead, PLATFORM_ID } from '../../layout/partitions.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import { dayNumber } from '../../lib/calendar.ts';
import type { ReportScope, ReportSettings } from '../query/query.ts';
import { holdBack } from './hold-back.ts';
import { type Joins, loadJoins } from './joins.ts';
import type { FactSources } from './shards.ts';

/** Through which day the data of a report is complete. */
export interface Completeness {
  /** The earliest of the days of the report's advertisers and experiences (`YYYY-MM-DD`); null where none has one. */
  readonly through: string | null;
  /** @returns the last complete day of one advertiser as a day number, by default the earliest of the experiences; -Infinity where there is none */
  lastDayOf(advertiserId: number, experience?: Experience): number;
}

/**
 * An advertiser's data is complete through the day that the `freshness` table gives for it, or else for all advertisers. Without such a row, it is
 * complete through the latest day with delivery of any advertiser in the experience, because operators load each day for all advertisers, and an
 * advertiser without delivery on a day may simply have paused. It ends before today, which has not ended. Experiences with neither are left out.
 * @param heads the fact heads of the platform and of the report's advertisers, without those that are read as shards
 */
export function findCompleteness(
  heads: ReadonlyMap<number, FactHead>,
  joins: Joins,
  experiences: readonly Experience[],
  advertiserIds: readonly number[],
  today: number,
): Completeness {
  const throughOf = new Map(
    experiences.map((experience) => {
      const lastDay = lastCompleteDay(heads.get(PLATFORM_ID)?.days?.get(experience)?.get('delivery') ?? [], today);
      return [experience, new Map(advertiserIds.map((id) => [id, lastDay(joins.freshness(experience, id))]))];
    }),
  );
  const days = [...new Set([...throughOf.values()].flatMap((own) => [...own.values()]))]
    .filter((day) => day !== null)
    .sort();
  const numberOf = new Map(days.map((day) => [day, dayNumber(day)])); // lastDayOf is called for each budget
  return {
    through: days[0] ?? null,
    lastDayOf: (id, experience) => {
      const own = (experience === undefined ? experiences : [experience]).flatMap(
        (name) => numberOf.get(throughOf.get(name)?.get(id) ?? '') ?? [],
      );
      return own.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...own);
    },
  };
}

/**
 * Reads the platform's fact head and the table `freshness`, which a report of the same instance then finds in its caches.
 * @returns the day through which the data of the advertisers is complete, as a day number; undefined if there is none
 */
export async function readLastCompleteDay(
  source: SegmentSource,
  experience: ReportExperience,
  scope: ReportScope,
  settings: ReportSettings,
  today: number,
): Promise<number | undefined> {
  const [platform, joins] = await Promise.all([
    source.factHeads([PLATFORM_ID]),
    loadJoins(source, [], scope, settings),
  ]);
  const experiences = experiencesIn(experience);
  const holdBackFrom = (heads: FactSources['heads']) =>
    holdBack({ heads, shards: [] }, experiences, settings.marketMinOthers).heads;
  const isWhole = holdBackFrom(platform) === platform;
  const heads = isWhole ? platform : holdBackFrom(await source.factHeads([PLATFORM_ID, ...scope.advertiserIds]));
  const { through } = findCompleteness(heads, joins, experiences, scope.advertiserIds, today);
  return through === null ? undefined : dayNumber(through);
}
