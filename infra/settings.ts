import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EXPERIENCES } from '../shared/catalog/tables.ts';
import { suggestName } from '../shared/contract/suggest.ts';
import { ROUTES } from './routes.ts';

const attribution = z.strictObject({ windowDays: z.int().min(0).max(90), basis: z.string().min(1) });
const DEFAULT_ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

/** The periods CloudWatch Logs offers. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** What DynamoDB gives a new on-demand table anyway; less cannot be asked for. */
const FIRST_THROUGHPUT = { read: 12_000, write: 4_000 };
const FUNCTION_NAMES = ROUTES.map((route) => route.function);

/** What an owner is told of a setting. */
interface Told {
  readonly meaning: string;
  /** What it may be: the end of a sentence. */
  readonly mayBe: string;
  /** A value that it may have. */
  readonly example: unknown;
}
const TOLD = z.registry<Told>();

/** What an owner may set in `cdk.json` under `context`, or with `-c name=value`; objects there as JSON text. */
const SETTINGS = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/)
    .default('Endcap')
    .register(TOLD, {
      meaning: 'A second name makes a second stage beside the first, in the same account.',
      mayBe: 'a letter, and up to 127 letters, digits and hyphens after it',
      example: 'Endcap',
    }),
  timeZone: z.string().refine(isTimeZone).default('America/New_York').register(TOLD, {
    meaning: 'The platform zone: days and hours of facts and reports are its days and hours.',
    mayBe: 'the name of an IANA time zone',
    example: 'Europe/Berlin',
  }),
  currency: z
    .string()
    .refine((code) => Intl.supportedValuesOf('currency').includes(code))
    .default('USD')
    .register(TOLD, {
      meaning: 'The currency of every amount of money, loaded and answered.',
      mayBe: 'an ISO 4217 code',
      example: 'EUR',
    }),
  attribution: z
    .strictObject(Object.fromEntries(EXPERIENCES.map((experience) => [experience, attribution.optional()])))
    .default({})
    .transform((given) => Object.fromEntries(EXPERIENCES.map((name) => [name, given[name] ?? DEFAULT_ATTRIBUTION])))
    .register(TOLD, {
      meaning: 'How conversions were credited, per experience; stated in every report.',
      mayBe: `an object of ${EXPERIENCES.join(', ')}, any of them, each with windowDays from 0 to 90 and a text basis`,
      example: { pla: { windowDays: 30, basis: 'day of the click' } },
    }),
  jwtIssuer: z.string().min(1).optional().register(TOLD, {
    meaning: 'The claim iss; urn:endcap:<stack name> unless set.',
    mayBe: 'a text',
    example: 'https://api.example.com',
  }),
  jwtAudience: z
    .string()
    .min(1)
    .default('endcap')
    .register(TOLD, { meaning: 'The claim aud.', mayBe: 'a text', example: 'endcap' }),
  throttle: z
    .strictObject({ rate: z.number().positive(), burst: z.int().positive() })
    .default({ rate: 500, burst: 1000 })
    .register(TOLD, {
      meaning: 'Requests a second, and at once, that each route but reports lets through; more is answered with 429.',
      mayBe: 'an object with rate and burst, both above 0, burst a whole number',
      example: { rate: 500, burst: 1000 },
    }),
  reportThrottle: z
    .strictObject({ rate: z.number().positive(), burst: z.int().positive() })
    .default({ rate: 100, burst: 200 })
    .register(TOLD, {
      meaning: 'The same for reports, one of which may take as much as a hundred listings.',
      mayBe: 'an object with rate and burst, both above 0, burst a whole number',
      example: { rate: 100, burst: 200 },
    }),
  logRetentionDays: z
    .literal(RETENTION_DAYS)
    .default(30)
    .register(TOLD, {
      meaning: 'How long the access log and the logs of the functions are kept.',
      mayBe: `one of ${RETENTION_DAYS.join(', ')}`,
      example: 30,
    }),
  removalPolicy: z.enum(['retain', 'destroy']).default('retain').register(TOLD, {
    meaning: 'What becomes of table, signing key and bucket with the stack; destroy also lifts deletion protection.',
    mayBe: 'retain or destroy',
    example: 'retain',
  }),
  apiGatewayAccountRole: z.enum(['create', 'existing']).default('create').register(TOLD, {
    meaning: 'API Gateway writes logs under one role per account and region: make it, or rely on one that is set.',
    mayBe: 'create or existing',
    example: 'create',
  }),
  alarmEmail: z.email().optional().register(TOLD, {
    meaning: 'Who is told when an alarm goes off, and when it is over; the address has to confirm once.',
    mayBe: 'an e-mail address',
    example: 'ops@example.com',
  }),
  reservedConcurrency: z
    .record(z.string(), z.int().min(0))
    .refine((given) => Object.keys(given).every((name) => FUNCTION_NAMES.includes(name)))
    .default({})
    .register(TOLD, {
      meaning: 'Instances kept for a function, and its limit; the rest of the account is left to the others.',
      mayBe: `an object of whole numbers by function: ${FUNCTION_NAMES.join(', ')}`,
      example: { 'submit-report': 50 },
    }),
  warmThroughput: z
    .strictObject({
      readUnitsPerSecond: z.int().min(FIRST_THROUGHPUT.read),
      writeUnitsPerSecond: z.int().min(FIRST_THROUGHPUT.write),
    })
    .optional()
    .register(TOLD, {
      meaning: 'What the table carries from the first second on; paid for once. For a large first load.',
      mayBe: `an object with readUnitsPerSecond from ${FIRST_THROUGHPUT.read} and writeUnitsPerSecond from ${FIRST_THROUGHPUT.write} on`,
      example: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 40_000 },
    }),
  waf: z
    .strictObject({ requestsPerFiveMinutes: z.int().min(10).max(2_000_000_000) })
    .optional()
    .register(TOLD, {
      meaning:
        'A firewall before the API: addresses of ill repute are refused, and those that ask more often than this.',
      mayBe: 'an object with requestsPerFiveMinutes, of one address, from 10 to 2000000000',
      example: { requestsPerFiveMinutes: 5000 },
    }),
  customDomain: z
    .strictObject({
      name: z.hostname(),
      certificateArn: z.string().regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/),
    })
    .optional()
    .register(TOLD, {
      meaning:
        'The API under a name of your own, with a certificate of the same region; the DNS record is yours to make.',
      mayBe: 'an object with name, a host name, and certificateArn, of a certificate in ACM',
      example: {
        name: 'api.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
      },
    }),
});
export type Settings = z.output<typeof SETTINGS>;

/**
 * The settings among the CDK context, defaults filled in.
 * Keys of CDK itself (they hold `:` or `/`) are left alone; any other key that is no setting is refused, because it is a typing mistake.
 * @throws an error that names every wrong setting, each with what is allowed and an example
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const given = Object.entries(context)
    .filter(([key]) => !/[:/]/.test(key))
    .map(([key, value]) => [key, fromCommandLine(value)] as const);
  const read = SETTINGS.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  const wrong = new Set(read.error.issues.map(({ path: [name] }) => name));
  const lines = given.flatMap(([name, value]) =>
    Object.hasOwn(SETTINGS.shape, name) ? (wrong.has(name) ? [refuse(name, value)] : []) : [refuseName(name)],
  );
  throw new Error(`settings (cdk.json "context", or -c name=value) are not valid:\n${lines.join('\n')}`);
}

/** @returns the settings for people: name, default as it would stand in `cdk.json` (undefined: none), what it may be, and meaning */
export function describeSettings(): { name: string; byDefault: string | undefined; mayBe: string; meaning: string }[] {
  const defaults = new Map(Object.entries(SETTINGS.parse({})).map(([name, value]) => [name, JSON.stringify(value)]));
  return told().map(([name, { meaning, mayBe, example }]) => {
    const byDefault = defaults.get(name);
    const shown = JSON.stringify(example);
    return { name, byDefault, mayBe: shown === byDefault ? mayBe : `${mayBe}: \`${shown}\``, meaning };
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

function told(): [string, Told][] {
  return Object.entries(SETTINGS.shape).map(([name, schema]) => {
    const registered = TOLD.get(schema);
    if (registered === undefined) throw new Error(`nothing is told of the setting ${name}`);
    return [name, registered];
  });
}

function refuse(name: string, value: unknown): string {
  const { mayBe, example } = new Map(told()).get(name) ?? {};
  return `  ${name} is ${JSON.stringify(value)}; it may be ${mayBe}, for example ${JSON.stringify(example)}`;
}

function refuseName(name: string): string {
  const names = Object.keys(SETTINGS.shape);
  const meant = suggestName(name, names);
  return `  ${name} is no setting${meant === undefined ? '.' : `; did you mean ${meant}?`} There are ${names.join(', ')}`;
}

/** A fixed offset such as `+05:00` is one to Intl, but has no name: it would be wrong for half the year in most places. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
