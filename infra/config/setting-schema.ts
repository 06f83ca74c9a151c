import * as z from 'zod';
import { PRODUCT_IDS } from '../../shared/catalog/dimensions.ts';
import type { Finality } from '../../shared/catalog/methodology.ts';
import { EXPERIENCES } from '../../shared/catalog/tables.ts';
import { WEEKDAYS } from '../../shared/lib/calendar.ts';
import { methodology } from './methodology.ts';
import {
  arn,
  brand,
  FUNCTION_NAMES,
  functionConcurrency,
  isOrigin,
  isTimeZone,
  MAX_BRAND_LENGTH,
  MAX_LOGO_LENGTH,
  RETENTION_DAYS,
  tags,
  throttle,
} from './setting-parts.ts';

/** The header `Endcap-Attribution` of CSV and Arrow responses has the basis, with six characters for each that is not ASCII. */
const MAX_BASIS_LENGTH = 80;
const factors = z.partialRecord(z.enum(EXPERIENCES), z.number().gt(1)).default({});
const FACTORS = {
  valid: `an object with numbers above 1 by experience: ${EXPERIENCES.join(', ')}`,
  example: { pla: 10 },
};
const attribution = z.strictObject({
  windowDays: z.int().min(0).max(90),
  basis: z.string().min(1).max(MAX_BASIS_LENGTH),
});
/** In bytes of JSON: Lambda's variables have at most 4 KB together. */
const MAX_METHODOLOGY = 1500;
const DEFAULT_ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

/**
 * The documentation of the settings. `valid` has the valid values, and completes the sentence “it must be …”; absent = the schema lists them. `example` is
 * one of them.
 */
export const DOCUMENTATION = z.registry<{
  readonly meaning: string;
  readonly valid?: string;
  readonly example: unknown;
}>();

/** The settings in `endcap.settings.json`, or on the command line as `-c name=value`, with objects as JSON text. */
const SHAPE = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,109}$/) // the rules of Contributor Insights add 18 characters, and their names have at most 128
    .default('Endcap')
    .register(DOCUMENTATION, {
      meaning: 'Name of the stack. Another name deploys another, independent stack in the same account.',
      valid: 'a letter, followed by up to 109 letters, digits and hyphens',
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
      meaning: 'Attribution per experience, which every report states; it does not change the loaded conversions.',
      valid: `an object with any of ${EXPERIENCES.join(', ')}, each an object with windowDays from 0 to 90 and basis, a string of 1 to ${MAX_BASIS_LENGTH} characters`,
      example: { pla: { windowDays: 30, basis: 'day of the click' } },
    }),
  methodology: methodology
    .optional()
    .refine((given) => Buffer.byteLength(JSON.stringify(given ?? {})) <= MAX_METHODOLOGY)
    .register(DOCUMENTATION, {
      meaning:
        'How figures are made, per experience, from a day on (`validFrom`): clickDays, viewDays (at most windowDays of the attribution), countedOn, model, matchLevel, sales, cost, viewability, invalidTraffic, newToBrandLookbackDays and link. Reports state it in `meta.attribution`, with null for what is not stated, and warn where it changes.',
      valid: `an object with any of ${EXPERIENCES.join(', ')}, each a list of up to 10 methods, ascending by validFrom, with windows up to that of the attribution, together of at most ${MAX_METHODOLOGY} bytes as JSON`,
      example: {
        pla: [
          { clickDays: 14, viewDays: 1, countedOn: 'conversionDay', matchLevel: 'brand', cost: { tax: 'excluded' } },
        ],
      },
    }),
  restatementDays: z
    .strictObject(Object.fromEntries(EXPERIENCES.map((name) => [name, z.int().min(0).max(366).optional()])))
    .optional()
    .register(DOCUMENTATION, {
      meaning:
        'Per experience, how many days after a day its facts may be loaded again. Reports state in `meta.dataFinalThrough` through which day figures are final; loads warn if they replace such days.',
      valid: `an object with any of ${EXPERIENCES.join(', ')}, each an integer from 0 to 366`,
      example: { pla: 3, toa: 14 },
    }),
  productIds: z.enum(PRODUCT_IDS).default('upc').register(DOCUMENTATION, {
    meaning:
      'What entity_id, purchased_entity_id and upc are: a UPC or GTIN of up to 14 digits, or any text. After a change, load all data into a new table.',
    example: 'text',
  }),
  marketMinOthers: z.int().min(0).max(1000).default(3).register(DOCUMENTATION, {
    meaning:
      'Crowd threshold: a market row counts in share_of_voice if at least this many of its advertisers are not the caller’s, and reports without facts in an experience see which days it has if at least this many advertisers have some. 0 protects nobody.',
    valid: 'an integer from 0 to 1000',
    example: 3,
  }),
  minUsers: z.int().min(0).max(10_000).default(0).register(DOCUMENTATION, {
    meaning:
      'Smaller numbers of users above 0 are null in reports, and so is what is divided by them. Reports that differ by a day or a filter can still tell how many users they differ by.',
    valid: 'an integer from 0 to 10000',
    example: 50,
  }),
  weekStartsOn: z.enum(WEEKDAYS).default('Monday').register(DOCUMENTATION, {
    meaning: 'First day of the week, for week_date and periods of weeks.',
    example: 'Sunday',
  }),
  signingKeys: z
    .strictObject({ sign: z.int().min(1), accept: z.array(z.int().min(1)).max(3).default([]) })
    .refine(({ sign, accept }) => new Set([sign, ...accept]).size === accept.length + 1)
    .default({ sign: 1, accept: [] })
    .register(DOCUMENTATION, {
      meaning:
        'Generations of the key that signs tokens, and of up to 3 others whose tokens are accepted. A new number creates a key.',
      valid: 'an object with sign, an integer from 1, and accept, a list of up to 3 other integers',
      example: { sign: 2, accept: [1] },
    }),
  userIdKey: arn('kms', 'key/').optional().register(DOCUMENTATION, {
    meaning:
      'For a stack around the table of another one: that stack’s output UserIdKeyArn. Without it, the stack creates a key.',
    valid: 'the ARN of a key in KMS',
    example: 'arn:aws:kms:eu-central-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab',
  }),
  throttle: throttle.default({ rate: 2000, burst: 4000 }).register(DOCUMENTATION, {
    meaning:
      'Requests per second, and the burst, that each route except reports accepts from all clients together, also those without a key; others get 429.',
    valid: 'an object with rate and burst, both above 0, and burst an integer',
    example: { rate: 2000, burst: 4000 },
  }),
  reportThrottle: throttle.default({ rate: 2000, burst: 4000 }).register(DOCUMENTATION, {
    meaning: 'The same for reports.',
    valid: 'an object with rate and burst, both above 0, and burst an integer',
    example: { rate: 2000, burst: 4000 },
  }),
  keyLimits: z
    .strictObject({
      requestsPerMinute: z.int().min(1).optional(),
      concurrentReports: z.int().min(1).optional(),
      dailyReadUnits: z.int().min(1).optional(),
    })
    .default({ requestsPerMinute: 1200, concurrentReports: 8, dailyReadUnits: 2_000_000 })
    .register(DOCUMENTATION, {
      meaning:
        'Limits of keys that have none of their own; read units are those of the table per day (UTC), and a write unit counts as five. A member that is left out means no limit.',
      valid: 'an object with any of requestsPerMinute, concurrentReports and dailyReadUnits, each an integer from 1',
      example: { requestsPerMinute: 1200, concurrentReports: 8, dailyReadUnits: 2_000_000 },
    }),
  maxReadUnitsPerSecond: z.int().min(1).optional().register(DOCUMENTATION, {
    meaning:
      'Maximum read throughput of the table, which limits what a flood can cost: DynamoDB throttles what is above it. Without it, the account’s quota is the limit.',
    valid: 'an integer from 1',
    example: 4000,
  }),
  corsOrigins: z
    .array(z.string().refine(isOrigin))
    .max(18)
    .refine((given) => new Set(given).size === given.length)
    .default([])
    .register(DOCUMENTATION, {
      meaning: 'Origins of web pages whose scripts may call the API (CORS).',
      valid:
        'a list of up to 18 different origins, each a scheme and a host in lower case, with the port unless it is the default',
      example: ['https://dashboard.example.com'],
    }),
  logRetentionDays: z.literal(RETENTION_DAYS).default(30).register(DOCUMENTATION, {
    meaning: 'Days after which log entries are deleted.',
    example: 30,
  }),
  logLevel: z.enum(['INFO', 'WARN', 'ERROR']).default('INFO').register(DOCUMENTATION, {
    meaning:
      "INFO logs every request, WARN those with status 4xx and 5xx, ERROR those with 5xx. Lines of reports have memory (`rssMb`), the use of the instance's cache of facts (`cache`) and the time of the instance's start (`initMs`), which Lambda itself records below this level only. The dashboard sums read units of logged requests.",
    example: 'WARN',
  }),
  pages: z
    .union([z.boolean(), brand])
    .default(true)
    .register(DOCUMENTATION, {
      meaning:
        'Whether explorer, documentation and OpenAPI document are served, to everybody. An object has the operator’s name, logo and contact, which they show; errors with status 401, 403 and 5xx also name the contact. With `keepKeys` false, the explorer does not offer to keep a key on a device.',
      valid: `true, false, or an object with any of name and contact, texts of 1 to ${MAX_BRAND_LENGTH} characters, keepKeys, true or false, and logo, an image as a data: URL of PNG, SVG or WebP in base64 of at most ${MAX_LOGO_LENGTH} characters`,
      example: { name: 'Oat Hill Media', contact: 'media@example.com' },
    }),
  sam: z.enum(['arm64', 'x86_64']).optional().register(DOCUMENTATION, {
    meaning: 'Makes a template for SAM on a machine with these processors. Do not deploy it.',
    example: 'x86_64',
  }),
  removalPolicy: z.enum(['retain', 'destroy']).default('retain').register(DOCUMENTATION, {
    meaning:
      'Whether table, KMS keys and bucket outlive the stack. destroy also disables deletion protection of the table and termination protection of the stack.',
    example: 'retain',
  }),
  apiGatewayAccountRole: z.enum(['create', 'existing']).default('create').register(DOCUMENTATION, {
    meaning: 'Create API Gateway’s role for logs, or use the region’s.',
    example: 'existing',
  }),
  alarms: z
    .union([
      z.literal(false),
      z.strictObject({
        email: z.email().optional(),
        page: arn('sns', '').optional(),
        ticket: arn('sns', '').optional(),
      }),
    ])
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'The alarms. They notify email, once the subscription is confirmed, and the topic of their severity, which must be in the stack’s region and let CloudWatch publish; {} notifies nobody. false leaves them out.',
      valid:
        'false, or an object with any of email, an e-mail address, page and ticket, each the ARN of a topic in SNS',
      example: { email: 'ops@example.com' },
    }),
  probe: z.boolean().default(true).register(DOCUMENTATION, {
    meaning:
      'Whether a function sends a request to each route every five minutes, at customDomain if there is one; ProbeAlarm enters the ALARM state if that fails. Give it a key: see Service check.',
    example: false,
  }),
  budget: z
    .strictObject({ usdPerMonth: z.number().positive(), email: z.email() })
    .optional()
    .register(DOCUMENTATION, {
      meaning:
        'Sends an e-mail when the cost of the whole account in a calendar month is above this number of USD, or is forecast to be.',
      valid: 'an object with usdPerMonth, above 0, and email, an e-mail address',
      example: { usdPerMonth: 500, email: 'ops@example.com' },
    }),
  uploaders: arn('iam', 'role/')
    .array()
    .default([])
    .register(DOCUMENTATION, {
      meaning:
        'Roles of other accounts that may upload folders without users, each below its own prefix ACCOUNT/ROLE/, such as 111122223333/nightly-export/, and read the reports on these.',
      valid: 'a list of ARNs of roles in IAM',
      example: ['arn:aws:iam::111122223333:role/nightly-export'],
    }),
  userUploaders: arn('iam', 'role/')
    .array()
    .default([])
    .register(DOCUMENTATION, {
      meaning:
        'Roles of any account that may also upload folders with users, below with-users/ACCOUNT/ROLE/. Without any, users are loaded from a machine only.',
      valid: 'a list of ARNs of roles in IAM',
      example: ['arn:aws:iam::111122223333:role/user-export'],
    }),
  customerManagedKey: z.boolean().default(false).register(DOCUMENTATION, {
    meaning:
      'Whether a key of your own in KMS, the output DataKeyArn, encrypts table, bucket, queues and log groups. Never delete it while you need them.',
    example: true,
  }),
  successMarker: z.boolean().default(true).register(DOCUMENTATION, {
    meaning: 'Whether a _SUCCESS in the bucket starts a load, as _READY does.',
    valid: 'true or false',
    example: false,
  }),
  rejectOlder: z.boolean().default(false).register(DOCUMENTATION, {
    meaning:
      'Whether a folder is rejected if a later one replaced the same days or listings before; else that is a warning.',
    valid: 'true or false',
    example: true,
  }),
  maxDrop: factors.register(DOCUMENTATION, {
    meaning:
      'A load is rejected if the impressions or cost of a day of an advertiser are divided by more than this number; a new day is compared with the median of the last ones.',
    ...FACTORS,
  }),
  maxGrowth: factors.clone().register(DOCUMENTATION, {
    meaning:
      'A load is rejected if the impressions or cost of a day of an advertiser are multiplied by more than this number; a new day is compared with the median of the last ones.',
    ...FACTORS,
  }),
  staleAfterHours: z
    .partialRecord(z.enum(EXPERIENCES), z.int().min(1).max(8760))
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'Hours after the end of the latest day of the fact table that is furthest behind at which StaleAlarm enters the ALARM state. Set it after the first load.',
      valid: `an object with integers from 1 to 8760 by experience: ${EXPERIENCES.join(', ')}`,
      example: { pla: 36 },
    }),
  concurrency: z
    .record(z.string(), functionConcurrency)
    .refine((given) => Object.keys(given).every((name) => FUNCTION_NAMES.includes(name)))
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'Of functions: concurrent executions that are reserved, which is also the limit, and instances that are always ready (provisioned), and billed by the hour.',
      valid: `an object by function name, each with any of reserved, an integer of at least 0, and provisioned, an integer from 1 to reserved; the functions are ${FUNCTION_NAMES.join(', ')}`,
      example: { 'submit-report': { reserved: 50, provisioned: 2 } },
    }),
  deployment: z.enum(['all-at-once', 'canary']).default('all-at-once').register(DOCUMENTATION, {
    meaning:
      'canary sends 10 % of the requests to the new version for five minutes, and rolls back if an alarm on errors enters the ALARM state.',
    example: 'canary',
  }),
  waf: z
    .union([z.literal('off'), z.strictObject({ requestsPerFiveMinutes: z.int().min(10).max(2_000_000_000) })])
    .default({ requestsPerFiveMinutes: 20_000 })
    .register(DOCUMENTATION, {
      meaning: 'The firewall. It blocks IP addresses with a bad reputation, and those beyond this number of requests.',
      valid: 'off, or an object with requestsPerFiveMinutes per IP address, from 10 to 2000000000',
      example: { requestsPerFiveMinutes: 5000 },
    }),
  customDomain: z
    .strictObject({
      // API Gateway accepts no capital letters; the last part of an IP address is a number
      name: z.hostname().regex(/^[a-z\d.-]+\.(?!\d+$)[a-z\d-]+$/),
      certificateArn: arn('acm', 'certificate/'),
    })
    .optional()
    .register(DOCUMENTATION, {
      meaning: 'Your own domain name, with a certificate from the same region.',
      valid:
        'an object with name, a fully qualified host name in lower case, and certificateArn, the ARN of a certificate in ACM',
      example: {
        name: 'api.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
      },
    }),
  tags: tags.default({}).register(DOCUMENTATION, {
    meaning: 'Tags of the stack and its resources.',
    valid:
      'an object with at most 40 tags: names of 1 to 128 (none that begins with aws:, and no two that differ only by case) and values of 1 to 256 letters, digits, spaces and _.:/=+-@ characters',
    example: { team: 'retail-media' },
  }),
});

/** No window may be longer than that of the attribution. */
export const SETTINGS = SHAPE.check(({ value, issues }) => {
  for (const name of EXPERIENCES) {
    const { windowDays = 0 } = value.attribution[name] ?? {};
    const isLonger = (days = 0) => days > windowDays;
    if (value.methodology?.[name]?.some(({ clickDays, viewDays }) => isLonger(clickDays) || isLonger(viewDays)))
      issues.push({ code: 'custom', path: ['methodology'], input: value });
  }
});
export type Settings = z.output<typeof SETTINGS>;

/** @returns when figures are final; undefined where the settings do not state it */
export function finalityOf({ restatementDays, methodology, attribution }: Settings): Finality | undefined {
  const windowDays = Object.fromEntries(EXPERIENCES.map((name) => [name, attribution[name]?.windowDays ?? 0]));
  return restatementDays && { restatementDays, methodology, windowDays };
}
