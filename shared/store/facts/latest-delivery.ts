import type { FactHead } from '../../catalog/partitions.ts';
import type { Experience } from '../../catalog/tables.ts';

type LatestDays = FactHead['latestDelivery'];

/** The latest delivery days of an advertiser before and after a load. */
export interface DeliveryChange {
  readonly before: LatestDays;
  readonly after: LatestDays;
}

/**
 * @param before the platform's latest delivery days before the load
 * @param readOthers reads those of the unchanged advertisers; called only if a changed one lost the platform's day
 * @returns the platform's latest delivery days after the load
 */
export async function updateLatestDelivery(
  before: LatestDays,
  changes: readonly DeliveryChange[],
  readOthers: () => Promise<readonly LatestDays[]>,
): Promise<LatestDays> {
  const isLost = [...before].some(([experience, day]) =>
    changes.some((change) => change.before.get(experience) === day && (change.after.get(experience) ?? '') < day),
  );
  const others = isLost ? await readOthers() : [before];
  const latest = new Map<Experience, string>();
  for (const [experience, day] of [...changes.map(({ after }) => after), ...others].flatMap((days) => [...days])) {
    if (day > (latest.get(experience) ?? '')) latest.set(experience, day);
  }
  return latest;
}
