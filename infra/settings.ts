import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EXPERIENCES } from '../shared/catalog/tables.ts';
import { suggestName } from '../shared/contract/suggest.ts';
import { ROUTES } from './routes.ts';

const attribution = z.strictObject({ windowDays: z.int().min(0).max(90), basis: z.string().min(1) });
const DEFAULT_ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

/** The retention periods that CloudWatch Logs supports. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** The initial warm throughput of an on-demand table, which is the minimum for this setting. */
const MIN_WARM_THROUGHPUT = { read: 12_000, write: 4_000 };
const FUNCTION_NAMES = ROUTES.map((route) => route.function);

/** The documentation of a setting. */
interface Documentation {
  readonly meaning: string;
  /** The valid values; completes the sentence “it must be …”. */
  readonly valid: string;
  /** A valid value. */
  readonly example: unknown;
}
const DOCUMENTATION = z.registry<Documentation>();

/** The settings in `cdk.json` under `context`, or on the command line as `-c name=value`, with objects as JSON text. */
const SETTINGS = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/)
    .default('Endcap')
    .register(DOCUMENTATION, {
      meaning: 'Name of the stack. Another name deploys another, independent stack in the same account.',
      valid: 'a letter, followed by up to 127 letters, digits and hyphens',
      example: 'Endcap',
    }),
  timeZone: z.string().refine(isTimeZone).default('America/New_York').register(DOCUMENTATION, {
    meaning: 'The platform’s time zone: days and hours of facts and reports are in this zone.',
    valid: 'the name of an IANA time zone',
    example: 'Europe/Berlin',
  }),
  currency: z
    .string()
    .refine((code) => Intl.supportedValuesOf('currency').includes(code))
    .default('USD')
    .register(DOCUMENTATION, {
      meaning: 'Currency of all amounts of money, in loaded data and in responses.',
      valid: 'an ISO 4217 code',
      example: 'EUR',
    }),
  attribution: z
    .strictObject(Object.fromEntries(EXPERIENCES.map((experience) => [experience, attribution.optional()])))
    .default({})
    .transform((given) => Object.fromEntries(EXPERIENCES.map((name) => [name, given[name] ?? DEFAULT_ATTRIBUTION])))
    .register(DOCUMENTATION, {
      meaning:
        'Attribution window and basis per experience, which every report states. It describes the loaded conversions and does not change them.',
      valid: `an object with any of ${EXPERIENCES.join(', ')}, each an object with windowDays from 0 to 90 and a text basis`,
      example: { pla: { windowDays: 30, basis: 'day of the click' } },
    }),
  jwtIssuer: z.string().min(1).optional().register(DOCUMENTATION, {
    meaning: 'Claim iss of the tokens; default: urn:endcap:STACK_NAME.',
    valid: 'a text',
    example: 'https://api.example.com',
  }),
  jwtAudience: z
    .string()
    .min(1)
    .default('endcap')
    .register(DOCUMENTATION, { meaning: 'Claim aud of the tokens.', valid: 'a text', example: 'endcap' }),
  signingKeys: z
    .strictObject({ sign: z.int().min(1), accept: z.array(z.int().min(1)).max(3).default([]) })
    .refine(({ sign, accept }) => new Set([sign, ...accept]).size === accept.length + 1)
    .default({ sign: 1, accept: [] })
    .register(DOCUMENTATION, {
      meaning:
        'Generations of the key in KMS that signs tokens: the one that signs now, and others whose tokens are accepted. A new number creates a key.',
      valid: 'an object with sign, an integer from 1, and accept, a list of up to 3 other integers',
      example: { sign: 2, accept: [1] },
    }),
  throttle: z
    .strictObject({ rate: z.number().positive(), burst: z.int().positive() })
    .default({ rate: 2000, burst: 4000 })
    .register(DOCUMENTATION, {
      meaning:
        'Requests per second, and the burst, that each route except reports accepts from all clients together. Further requests get 429. Anyone can use them up, without a key too, so keep them far above what keys may do.',
      valid: 'an object with rate and burst, both above 0, and burst an integer',
      example: { rate: 2000, burst: 4000 },
    }),
  reportThrottle: z
    .strictObject({ rate: z.number().positive(), burst: z.int().positive() })
    .default({ rate: 2000, burst: 4000 })
    .register(DOCUMENTATION, {
      meaning: 'The same for reports.',
      valid: 'an object with rate and burst, both above 0, and burst an integer',
      example: { rate: 2000, burst: 4000 },
    }),
  logRetentionDays: z
    .literal(RETENTION_DAYS)
    .default(30)
    .register(DOCUMENTATION, {
      meaning: 'Days after which entries of the access log and of the functions’ logs are deleted.',
      valid: `one of ${RETENTION_DAYS.join(', ')}`,
      example: 30,
    }),
  removalPolicy: z.enum(['retain', 'destroy']).default('retain').register(DOCUMENTATION, {
    meaning:
      'Whether table, signing key and bucket are retained when the stack is deleted. destroy also disables the table’s deletion protection.',
    valid: 'retain or destroy',
    example: 'retain',
  }),
  apiGatewayAccountRole: z.enum(['create', 'existing']).default('create').register(DOCUMENTATION, {
    meaning: 'API Gateway writes logs with one role per account and region: create it, or use the one that exists.',
    valid: 'create or existing',
    example: 'create',
  }),
  alarmEmail: z.email().optional().register(DOCUMENTATION, {
    meaning:
      'Who is notified when an alarm goes off and when it is over. The recipient must confirm the subscription once.',
    valid: 'an e-mail address',
    example: 'ops@example.com',
  }),
  reservedConcurrency: z
    .record(z.string(), z.int().min(0))
    .refine((given) => Object.keys(given).every((name) => FUNCTION_NAMES.includes(name)))
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'Concurrent executions reserved for a function, which are also its limit. The other functions share the rest of the account’s.',
      valid: `an object with integers by function name: ${FUNCTION_NAMES.join(', ')}`,
      example: { 'submit-report': 50 },
    }),
  warmThroughput: z
    .strictObject({
      readUnitsPerSecond: z.int().min(MIN_WARM_THROUGHPUT.read),
      writeUnitsPerSecond: z.int().min(MIN_WARM_THROUGHPUT.write),
    })
    .optional()
    .register(DOCUMENTATION, {
      meaning: 'Throughput that the table supports from its creation, with a one-time charge. For a large first load.',
      valid: `an object with readUnitsPerSecond of at least ${MIN_WARM_THROUGHPUT.read} and writeUnitsPerSecond of at least ${MIN_WARM_THROUGHPUT.write}`,
      example: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 40_000 },
    }),
  waf: z
    .union([z.literal('off'), z.strictObject({ requestsPerFiveMinutes: z.int().min(10).max(2_000_000_000) })])
    .default({ requestsPerFiveMinutes: 20_000 })
    .register(DOCUMENTATION, {
      meaning:
        'The firewall in front of the API. It blocks IP addresses with a bad reputation and those that exceed this number of requests. It costs 7.00 USD per month and 0.60 per million requests.',
      valid: 'off, or an object with requestsPerFiveMinutes per IP address, from 10 to 2000000000',
      example: { requestsPerFiveMinutes: 5000 },
    }),
  customDomain: z
    .strictObject({
      name: z.hostname(),
      certificateArn: z.string().regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/),
    })
    .optional()
    .register(DOCUMENTATION, {
      meaning:
        'Serves the API under your own domain name, with a certificate from the same region. You create the DNS record.',
      valid: 'an object with name, a host name, and certificateArn, the ARN of a certificate in ACM',
      example: {
        name: 'api.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
      },
    }),
});
export type Settings = z.output<typeof SETTINGS>;

/**
 * @returns the settings in the CDK context, with defaults. CDK's own keys, which contain `:` or `/`, are ignored.
 * @throws an error that lists every invalid setting with its valid values and an example, and every key that is not a setting
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const given = Object.entries(context)
    .filter(([key]) => !/[:/]/.test(key))
    .map(([key, value]) => [key, fromCommandLine(value)] as const);
  const read = SETTINGS.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  const invalid = new Set(read.error.issues.map(({ path: [name] }) => name));
  const lines = given.flatMap(([name, value]) =>
    Object.hasOwn(SETTINGS.shape, name)
      ? invalid.has(name)
        ? [describeInvalid(name, value)]
        : []
      : [describeUnknown(name)],
  );
  throw new Error(`settings (cdk.json "context", or -c name=value) are not valid:\n${lines.join('\n')}`);
}

/** @returns the documentation of all settings: default in JSON (undefined = none), valid values with an example unless it is the default, meaning */
export function describeSettings(): {
  readonly name: string;
  readonly defaultValue: string | undefined;
  readonly valid: string;
  readonly meaning: string;
}[] {
  const defaults = new Map(Object.entries(SETTINGS.parse({})).map(([name, value]) => [name, JSON.stringify(value)]));
  return documented().map(([name, { meaning, valid, example }]) => {
    const defaultValue = defaults.get(name);
    const json = JSON.stringify(example);
    return { name, defaultValue, valid: json === defaultValue ? valid : `${valid}: \`${json}\``, meaning };
  });
}

/** @returns the context in `cdk.json`, for use without the CDK command line */
export function readContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../cdk.json'), 'utf8')).context ?? {};
}

/** Values on the command line are text, such as `-c logRetentionDays=7`. */
function fromCommandLine(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function documented(): [string, Documentation][] {
  return Object.entries(SETTINGS.shape).map(([name, schema]) => {
    const documentation = DOCUMENTATION.get(schema);
    if (documentation === undefined) throw new Error(`the setting ${name} is not documented`);
    return [name, documentation];
  });
}

function describeInvalid(name: string, value: unknown): string {
  const { valid, example } = new Map(documented()).get(name) ?? {};
  return `  ${name} is ${JSON.stringify(value)}; it must be ${valid}, for example ${JSON.stringify(example)}`;
}

function describeUnknown(name: string): string {
  const names = Object.keys(SETTINGS.shape);
  const suggestion = suggestName(name, names);
  return `  ${name} is not a setting${suggestion === undefined ? '.' : `; did you mean ${suggestion}?`} The settings are ${names.join(', ')}`;
}

/** Excludes fixed offsets such as `+05:00`, which Intl accepts: they would be wrong for half of the year in most places. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
