import * as z from 'zod';
import { EXPERIENCES } from '../../shared/catalog/tables.ts';
import {
  FUNCTION_NAMES,
  isOrigin,
  isTimeZone,
  MAX_TAG_BYTES,
  perFunction,
  RETENTION_DAYS,
  tags,
  throttle,
} from './setting-parts.ts';

/** The header `Endcap-Attribution` of CSV and Arrow responses has the basis, with six characters for each that is not ASCII. */
const MAX_BASIS_LENGTH = 80;
const attribution = z.strictObject({
  windowDays: z.int().min(0).max(90),
  basis: z.string().min(1).max(MAX_BASIS_LENGTH),
});
const DEFAULT_ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

/** The documentation of a setting. */
export interface Documentation {
  readonly meaning: string;
  /** The valid values; completes the sentence “it must be …”. */
  readonly valid: string;
  /** A valid value. */
  readonly example: unknown;
}
export const DOCUMENTATION = z.registry<Documentation>();

/** The settings in `cdk.json` under `context`, or on the command line as `-c name=value`, with objects as JSON text. */
export const SETTINGS = z.strictObject({
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
      meaning:
        'Attribution window and basis per experience, which every report states. It describes the loaded conversions and does not change them.',
      valid: `an object with any of ${EXPERIENCES.join(', ')}, each an object with windowDays from 0 to 90 and basis, a string of 1 to ${MAX_BASIS_LENGTH} characters`,
      example: { pla: { windowDays: 30, basis: 'day of the click' } },
    }),
  marketMinOthers: z.int().min(0).max(1000).default(3).register(DOCUMENTATION, {
    meaning:
      'Crowd threshold of share_of_voice. A market row counts only if at least this many of its advertisers are not the caller’s, so that no caller can calculate what one rival bought. 0 counts all rows and protects nobody.',
    valid: 'an integer from 0 to 1000',
    example: 3,
  }),
  jwtIssuer: z.string().min(1).optional().register(DOCUMENTATION, {
    meaning: 'Claim iss of the tokens; default: urn:endcap:STACK_NAME.',
    valid: 'a string of at least one character',
    example: 'https://api.example.com',
  }),
  jwtAudience: z.string().min(1).default('endcap').register(DOCUMENTATION, {
    meaning: 'Claim aud of the tokens.',
    valid: 'a string of at least one character',
    example: 'endcap',
  }),
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
  userIdKey: z
    .string()
    .regex(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/[\w-]+$/)
    .optional()
    .register(DOCUMENTATION, {
      meaning:
        'The KMS key from which the hashing key for shopper ids is derived, for a stack that is built around the table of another one: the output UserIdKeyArn of that stack. Without it, the stack creates a key.',
      valid: 'the ARN of a key in KMS',
      example: 'arn:aws:kms:eu-central-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab',
    }),
  throttle: throttle.default({ rate: 2000, burst: 4000 }).register(DOCUMENTATION, {
    meaning:
      'Requests per second, and the burst, that each route except reports accepts from all clients together. Further requests get 429. Anyone can exhaust them, even without a key, so keep them far above the limits of keys.',
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
        'Limits of API keys that have none of their own: requests per minute, reports at the same time, and read units of the table per day (UTC). A member that is left out means no such limit. A key beyond a limit gets 429.',
      valid: 'an object with any of requestsPerMinute, concurrentReports and dailyReadUnits, each an integer from 1',
      example: { requestsPerMinute: 1200, concurrentReports: 8, dailyReadUnits: 2_000_000 },
    }),
  corsOrigins: z
    .array(z.string().refine(isOrigin))
    .max(20)
    .refine((given) => new Set(given).size === given.length)
    .default([])
    .register(DOCUMENTATION, {
      meaning:
        'Origins of web pages whose scripts may call the API from a browser (CORS). Preflights of other origins are rejected. Pages of the API itself need no entry.',
      valid:
        'a list of up to 20 different origins, each a scheme and a host in lower case, with the port unless it is the default',
      example: ['https://dashboard.example.com'],
    }),
  logRetentionDays: z
    .literal(RETENTION_DAYS)
    .default(30)
    .register(DOCUMENTATION, {
      meaning:
        'Days after which entries of the stack’s logs are deleted: those of its functions, of API Gateway and of the firewall.',
      valid: `one of ${RETENTION_DAYS.join(', ')}`,
      example: 30,
    }),
  logLevel: z.enum(['INFO', 'WARN', 'ERROR']).default('INFO').register(DOCUMENTATION, {
    meaning:
      'Lowest level of the log lines of the functions behind the API. INFO logs every request and the start of expensive or slow reports, WARN requests with status 4xx and 5xx, ERROR those with 5xx and unexpected errors. Read units and scanned rows on the dashboard are those of logged requests.',
    valid: 'INFO, WARN or ERROR',
    example: 'INFO',
  }),
  systemLogLevel: z.enum(['WARN', 'INFO']).default('WARN').register(DOCUMENTATION, {
    meaning:
      'Level of Lambda’s own log lines. INFO adds the start, end and report of every invocation, with the memory used and the time of a cold start, about 0.6 KB per request.',
    valid: 'WARN or INFO',
    example: 'INFO',
  }),
  pages: z.boolean().default(true).register(DOCUMENTATION, {
    meaning:
      'Whether the pages are served: the start page, the explorer, the documentation pages, the OpenAPI document, and the pages of the problem types, to which the type of an error leads. Everybody may read these pages; data needs a key.',
    valid: 'true or false',
    example: false,
  }),
  tracing: z.boolean().default(false).register(DOCUMENTATION, {
    meaning:
      'Traces invocations of the functions in X-Ray: a request per second, and 5 % of the others. The API’s stage starts no traces, because they contain the URL.',
    valid: 'true or false',
    example: true,
  }),
  architecture: z.enum(['arm64', 'x86_64']).default('arm64').register(DOCUMENTATION, {
    meaning:
      'Processors of the functions. x86_64 costs a quarter more per second; it is for SAM on a machine with such a processor.',
    valid: 'arm64 or x86_64',
    example: 'x86_64',
  }),
  sam: z.boolean().default(false).register(DOCUMENTATION, {
    meaning: 'Whether the functions have the variable AWS_ENDPOINT_URL, which is empty, so that SAM can set it.',
    valid: 'true or false',
    example: true,
  }),
  removalPolicy: z.enum(['retain', 'destroy']).default('retain').register(DOCUMENTATION, {
    meaning:
      'Whether table, keys in KMS and bucket are retained when the stack is deleted. destroy also disables the table’s deletion protection.',
    valid: 'retain or destroy',
    example: 'retain',
  }),
  terminationProtection: z.boolean().default(true).register(DOCUMENTATION, {
    meaning: 'Whether CloudFormation rejects deleting the stack, also one whose first deployment has failed.',
    valid: 'true or false',
    example: false,
  }),
  apiGatewayAccountRole: z.enum(['create', 'existing']).default('create').register(DOCUMENTATION, {
    meaning: 'API Gateway writes logs with one role per account and region: create it, or use the one that exists.',
    valid: 'create or existing',
    example: 'create',
  }),
  alarmEmail: z.email().optional().register(DOCUMENTATION, {
    meaning:
      'Who is notified when an alarm enters the ALARM state and when it leaves it. The recipient must confirm the subscription once.',
    valid: 'an e-mail address',
    example: 'ops@example.com',
  }),
  alarms: z.enum(['with-email', 'always']).default('with-email').register(DOCUMENTATION, {
    meaning:
      'Alarms are billed, so by default they exist only with alarmEmail, except those that deployment canary and staleAfterHours need. always creates all of them even without alarmEmail, for example for other monitoring tools.',
    valid: 'with-email or always',
    example: 'always',
  }),
  rejectedFolderAlarm: z.boolean().default(true).register(DOCUMENTATION, {
    meaning:
      'Whether an alarm enters the ALARM state for a folder in the bucket that was rejected because of its files. Switch it off if whoever uploads reads the reports.',
    valid: 'true or false',
    example: false,
  }),
  staleAfterHours: z
    .partialRecord(z.enum(EXPERIENCES), z.int().min(1).max(8760))
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'By experience, the hours after the end of the latest day with delivery at which an alarm enters the ALARM state because no newer day was loaded. Set it after the first load.',
      valid: `an object with integers from 1 to 8760 by experience: ${EXPERIENCES.join(', ')}`,
      example: { pla: 36 },
    }),
  reservedConcurrency: perFunction(0)
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'Concurrent executions reserved for a function, which are also its limit: with 0, it accepts no requests. The other functions share the rest of the account’s.',
      valid: `an object with integers of at least 0 by function name: ${FUNCTION_NAMES.join(', ')}`,
      example: { 'submit-report': 50 },
    }),
  provisionedConcurrency: perFunction(1)
    .default({})
    .register(DOCUMENTATION, {
      meaning:
        'Instances of a function that are always ready: that many concurrent requests never wait for a cold start. They are billed by the hour. At most reservedConcurrency, if that is set.',
      valid: `an object with integers of at least 1 by function name: ${FUNCTION_NAMES.join(', ')}`,
      example: { 'submit-report': 2 },
    }),
  deployment: z.enum(['all-at-once', 'canary']).default('all-at-once').register(DOCUMENTATION, {
    meaning:
      'How a deployment switches the routes to new versions of their functions. canary sends 10 % of the requests to the new version for five minutes and rolls back if an error alarm of the route enters the ALARM state.',
    valid: 'all-at-once or canary',
    example: 'canary',
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
      // API Gateway accepts no capital letters; the last part of an IP address is a number
      name: z.hostname().regex(/^[a-z\d.-]+\.(?!\d+$)[a-z\d-]+$/),
      certificateArn: z.string().regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/),
    })
    .optional()
    .register(DOCUMENTATION, {
      meaning:
        'Serves the API under your own domain name, with a certificate from the same region. You create the DNS record.',
      valid:
        'an object with name, a fully qualified host name in lower case, and certificateArn, the ARN of a certificate in ACM',
      example: {
        name: 'api.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
      },
    }),
  tags: tags.default({}).register(DOCUMENTATION, {
    meaning: 'Tags of the stack and of all its resources, for example for the allocation of costs.',
    valid: `an object with at most 40 tags: names of 1 to 128 (none that begins with aws:, and no two that differ only by case) and values of 1 to 256 letters, digits, spaces and _.:/=+-@ characters, together at most ${MAX_TAG_BYTES} bytes`,
    example: { team: 'retail-media' },
  }),
});
export type Settings = z.output<typeof SETTINGS>;
