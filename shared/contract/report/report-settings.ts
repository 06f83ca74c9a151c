import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Finality, Methodology } from '../../catalog/methodology.ts';
import { EXPERIENCES, type Experience } from '../../catalog/tables.ts';
import { WEEKDAYS } from '../../lib/calendar.ts';
import { readEnv } from '../../lib/env.ts';

interface Attribution {
  readonly windowDays: number | null;
  readonly basis: string;
}

/** How purchases are attributed, per experience: `{"pla":{"windowDays":14,"basis":"conversion day"},…}` */
const Attribution = z.record(
  z.enum(EXPERIENCES),
  z.strictObject({ windowDays: z.int().check(z.minimum(0)), basis: z.string().check(z.minLength(1)) }),
);

/**
 * @returns the settings of reports by experience, from the environment variables
 * @throws Error naming the environment variables that are missing or malformed; SyntaxError if ATTRIBUTION is not JSON
 */
export function readReportSettings() {
  const env = readEnv(['TIME_ZONE', 'CURRENCY', 'ATTRIBUTION', 'MARKET_MIN_OTHERS', 'WEEK_STARTS_ON', 'PRODUCT_IDS']);
  const { TIME_ZONE: timezone, CURRENCY: currency, ATTRIBUTION, MARKET_MIN_OTHERS, WEEK_STARTS_ON } = env;
  const parsed = z.safeParse(Attribution, JSON.parse(ATTRIBUTION));
  if (!parsed.success)
    throw new Error(`ATTRIBUTION must be an object with windowDays and basis per experience: ${ATTRIBUTION}`);
  if (!/^[0-9]{1,4}$/.test(MARKET_MIN_OTHERS))
    throw new Error(`MARKET_MIN_OTHERS must be an integer from 0 to 9999: ${MARKET_MIN_OTHERS}`);
  const marketMinOthers = Number(MARKET_MIN_OTHERS);
  const weekStartsOn = WEEKDAYS.find((weekday) => weekday === WEEK_STARTS_ON);
  if (weekStartsOn === undefined) throw new Error(`WEEK_STARTS_ON must be ${WEEKDAYS.join(', ')}: ${WEEK_STARTS_ON}`);
  const { MIN_USERS = '0', METHODOLOGY, RESTATEMENT_DAYS } = process.env;
  if (!/^[0-9]{1,5}$/.test(MIN_USERS)) throw new Error(`MIN_USERS must be an integer from 0 to 99999: ${MIN_USERS}`);
  const { pla, toa, carousel } = parsed.data;
  const hasTextIds = env.PRODUCT_IDS === 'text';
  const minUsers = Number(MIN_USERS) === 0 ? {} : { minUsers: Number(MIN_USERS) };
  const stated: Methodology | undefined = METHODOLOGY === undefined ? undefined : JSON.parse(METHODOLOGY); // a checked setting
  const methodology = stated && { methodology: stated };
  const windowDays = Object.fromEntries(EXPERIENCES.map((name) => [name, parsed.data[name].windowDays]));
  const finality: Finality | undefined =
    RESTATEMENT_DAYS === undefined ? undefined : { restatementDays: JSON.parse(RESTATEMENT_DAYS), windowDays };
  const common = {
    timezone,
    currency,
    marketMinOthers,
    weekStartsOn,
    hasTextIds,
    ...minUsers,
    ...methodology,
    ...(finality && { finality }),
  };
  const settings = (attribution: Attribution) => ({ ...common, attribution });
  const all = commonAttribution(parsed.data);
  return { pla: settings(pla), toa: settings(toa), carousel: settings(carousel), all: settings(all) };
}

/** @returns the attribution of all experiences; where they differ, a text that states each */
function commonAttribution(byExperience: Readonly<Record<Experience, Attribution>>): Attribution {
  const states = EXPERIENCES.map((name) => byExperience[name]);
  const [first] = states;
  if (first !== undefined && states.every((other) => isDeepStrictEqual(other, first))) return first;
  const texts = EXPERIENCES.map((name) => {
    const { windowDays, basis } = byExperience[name];
    return `${name}: ${windowDays} days, ${basis}`;
  });
  return { windowDays: null, basis: texts.join('; ') };
}
