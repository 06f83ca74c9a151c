import * as z from 'zod/mini';
import { EXPERIENCES } from '../../catalog/tables.ts';
import { readEnv } from '../../lib/env.ts';

/** How purchases are attributed, per experience: `{"pla":{"windowDays":14,"basis":"conversion day"},…}` */
const Attribution = z.record(
  z.enum(EXPERIENCES),
  z.strictObject({ windowDays: z.int().check(z.minimum(0)), basis: z.string().check(z.minLength(1)) }),
);

/**
 * @returns time zone, currency and attribution per experience, from the environment variables
 * @throws Error naming the environment variables that are missing or malformed
 */
export function readReportSettings() {
  const { TIME_ZONE: timezone, CURRENCY: currency, ATTRIBUTION } = readEnv(['TIME_ZONE', 'CURRENCY', 'ATTRIBUTION']);
  const parsed = z.safeParse(Attribution, JSON.parse(ATTRIBUTION));
  if (!parsed.success)
    throw new Error(`ATTRIBUTION must be an object with windowDays and basis per experience: ${ATTRIBUTION}`);
  const { pla, toa, carousel } = parsed.data;
  const settings = (attribution: typeof pla) => ({ timezone, currency, attribution });
  return { pla: settings(pla), toa: settings(toa), carousel: settings(carousel) };
}
