import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EXPERIENCES } from '../shared/catalog/tables.ts';
import { ROUTES } from './routes.ts';

const attribution = z.strictObject({
  windowDays: z.int().min(0).max(90),
  basis: z.string().min(1),
});
const DEFAULT_ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

/** The periods CloudWatch Logs offers. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** What DynamoDB gives a new on-demand table anyway; less cannot be asked for. */
const FIRST_THROUGHPUT = { read: 12_000, write: 4_000 };
const FUNCTION_NAMES = ROUTES.map((route) => route.function);

/** What an owner may set in `cdk.json` under `context`, or with `-c name=value`; objects there as JSON text. */
const SETTINGS = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, 'is not a CloudFormation stack name')
    .default('Endcap')
    .describe('A second name makes a second stage beside the first, in the same account.'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'is not an IANA time zone such as Europe/Berlin')
    .default('America/New_York')
    .describe('The platform zone: days and hours of facts and reports are its days and hours.'),
  currency: z
    .string()
    .refine((code) => Intl.supportedValuesOf('currency').includes(code), 'is not an ISO 4217 code such as EUR')
    .default('USD')
    .describe('The currency of every amount of money, loaded and answered.'),
  attribution: z
    .strictObject(Object.fromEntries(EXPERIENCES.map((experience) => [experience, attribution.optional()])))
    .default({})
    .transform((given) => Object.fromEntries(EXPERIENCES.map((name) => [name, given[name] ?? DEFAULT_ATTRIBUTION])))
    .describe('How conversions were credited, per experience; stated in every report.'),
  jwtIssuer: z.string().min(1).optional().describe('The claim iss; default urn:endcap:<stack name>.'),
  jwtAudience: z.string().min(1).default('endcap').describe('The claim aud.'),
  throttle: z
    .strictObject({ rate: z.number().positive(), burst: z.int().positive() })
    .default({ rate: 500, burst: 1000 })
    .describe('Requests a second, and at once, that the stage lets through; more is answered with 429.'),
  logRetentionDays: z
    .literal(RETENTION_DAYS, `is not one of ${RETENTION_DAYS.join(', ')}`)
    .default(30)
    .describe('How long the access log and the logs of the functions are kept.'),
  removalPolicy: z
    .enum(['retain', 'destroy'])
    .default('retain')
    .describe('What becomes of the table and the signing key with the stack; destroy also lifts deletion protection.'),
  apiGatewayAccountRole: z
    .enum(['create', 'existing'])
    .default('create')
    .describe('API Gateway writes logs under one role per account and region: make it, or rely on one that is set.'),
  alarmEmail: z
    .email('is not an e-mail address')
    .optional()
    .describe('Who is told when an alarm goes off, and when it is over; the address has to confirm once.'),
  reservedConcurrency: z
    .record(z.string(), z.int().min(0))
    .refine(
      (given) => Object.keys(given).every((name) => FUNCTION_NAMES.includes(name)),
      `names what is no function; there are ${FUNCTION_NAMES.join(', ')}`,
    )
    .default({})
    .describe(
      'Instances kept for a function, and its limit: {"submit-report": 50} leaves the rest of the account to the listings.',
    ),
  warmThroughput: z
    .strictObject({
      readUnitsPerSecond: z.int().min(FIRST_THROUGHPUT.read),
      writeUnitsPerSecond: z.int().min(FIRST_THROUGHPUT.write),
    })
    .optional()
    .describe('What the table carries from the first second on; paid for once. For a large first load.'),
  waf: z
    .strictObject({ requestsPerFiveMinutes: z.int().min(10).max(2_000_000_000) })
    .optional()
    .describe(
      'A firewall before the API: addresses of ill repute are refused, and those that ask more often than this.',
    ),
  customDomain: z
    .strictObject({
      name: z.hostname('is not a host name such as api.example.com'),
      certificateArn: z
        .string()
        .regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'is not the ARN of a certificate in ACM'),
    })
    .optional()
    .describe(
      'The API under a name of your own, with a certificate of the same region; the DNS record is yours to make.',
    ),
});
export type Settings = z.output<typeof SETTINGS>;

/**
 * The settings among the CDK context, defaults filled in.
 * Keys of CDK itself (they hold `:` or `/`) are left alone; any other key that is no setting is refused, because it is a typing mistake.
 * @throws an error that names every wrong setting and what is allowed
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const own = Object.entries(context).filter(([key]) => !/[:/]/.test(key));
  const read = SETTINGS.safeParse(Object.fromEntries(own.map(([key, value]) => [key, fromCommandLine(value)])));
  if (read.success) return read.data;
  throw new Error(`the settings in cdk.json ("context") are not valid:\n${read.error.issues.map(describe).join('\n')}`);
}

/** @returns the settings for people: name, default as it would stand in `cdk.json` (undefined: none), and meaning */
export function describeSettings(): { name: string; byDefault: string | undefined; meaning: string | undefined }[] {
  const defaults = Object.entries(SETTINGS.parse({}));
  return Object.entries(SETTINGS.shape).map(([name, { description: meaning }]) => {
    const byDefault = defaults.find(([key]) => key === name)?.[1];
    return { name, byDefault: byDefault === undefined ? undefined : JSON.stringify(byDefault), meaning };
  });
}

/** The context in `cdk.json`, for those that read it without the CDK command line. */
export function readContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../cdk.json'), 'utf8')).context ?? {};
}

/** `-c throttle='{"rate":10,"burst":20}'` and `-c logRetentionDays=7` arrive as text. */
function fromCommandLine(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    return `  ${issue.keys.join(', ')}: no such setting; there are ${Object.keys(SETTINGS.shape).join(', ')}`;
  }
  return `  ${issue.path.join('.')}: ${issue.message}`;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
