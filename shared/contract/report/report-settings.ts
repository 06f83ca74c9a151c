import * as z from 'zod/mini';
import { EXPERIENCES } from '../../catalog/tables.ts';
import { readEnv } from '../../lib/env.ts';

/** How purchases are attributed, by experience: `{"pla":{"windowDays":14,"basis":"conversion day"},…}` */
const Attribution = z.record(
  z.enum(EXPERIENCES),
  z.strictObject({ windowDays: z.int().check(z.minimum(0)), basis: z.string().check(z.minLength(1)) }),
);

/**
 * @returns what reports of an experience state and rest on, from the environment
 * @throws Error naming what the environment lacks, or has in another form
 */
export function readReportSettings() {
  const { TIME_ZONE: timezone, CURRENCY: currency, ATTRIBUTION } = readEnv(['TIME_ZONE', 'CURRENCY', 'ATTRIBUTION']);
  const parsed = z.safeParse(Attribution, JSON.parse(ATTRIBUTION));
  if (!parsed.success)
    throw new Error(`ATTRIBUTION is not an object of windowDays and basis by experience: ${ATTRIBUTION}`);
  const { pla, toa, carousel } = parsed.data;
  const settings = (attribution: typeof pla) => ({ timezone, currency, attribution });
  return { pla: settings(pla), toa: settings(toa), carousel: settings(carousel) };
}
