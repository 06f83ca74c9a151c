import * as z from 'zod';
import { FUNCTION_ROUTES, PAGES } from './routes.ts';

/** The retention periods that CloudWatch Logs supports. */
export const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

export const FUNCTION_NAMES: readonly string[] = [...FUNCTION_ROUTES.map((route) => route.function), PAGES.function];

/** @returns the schema of the ARN of a resource of this kind, such as `iam:role/` */
export const arn = (service: string, resource: string) =>
  z.string().regex(new RegExp(`^arn:aws[\\w-]*:${service}:[\\w-]*:\\d{12}:${resource}[\\w+=,.@/-]+$`));

export const MAX_BRAND_LENGTH = 60;
/** All environment variables of a function have 4,096 bytes at most. */
export const MAX_LOGO_LENGTH = 2_500;
const brandText = z.string().min(1).max(MAX_BRAND_LENGTH).optional();

/** The logo is part of the page, because the pages load nothing from other servers. */
export const brand = z.strictObject({
  name: brandText,
  logo: z
    .string()
    .regex(/^data:image\/(png|svg\+xml|webp);base64,[A-Za-z\d+/]+=*$/)
    .max(MAX_LOGO_LENGTH)
    .optional(),
  contact: brandText,
  keepKeys: z.boolean().optional(),
});

export const throttle = z.strictObject({ rate: z.number().positive(), burst: z.int().positive() });

export const functionConcurrency = z
  .strictObject({ reserved: z.int().min(0).optional(), provisioned: z.int().min(1).optional() })
  .refine(({ reserved, provisioned = 0 }) => provisioned <= (reserved ?? provisioned));

export const tags = z
  .record(
    z.string().regex(/^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/iu),
    z.string().regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,256}$/u),
  )
  .refine((given) => Object.keys(given).length <= 40)
  .refine((given) => new Set(Object.keys(given).map((name) => name.toLowerCase())).size === Object.keys(given).length);

/** @returns whether the text is an origin as browsers write it in the header Origin, with which it is compared */
export function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** @returns whether the name is a time zone of IANA. It excludes fixed offsets such as `+05:00`, which Intl accepts but which ignore daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Schemas of records ignore the key `__proto__` instead of rejecting it. */
export function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}
