import { extname } from 'node:path';
import { SORT_VALUE_NAMES } from '../../../../shared/catalog/compared-values.ts';
import { DIMENSION_GROUPS } from '../../../../shared/catalog/dimensions.ts';
import { REPORT_EXPERIENCES } from '../../../../shared/catalog/tables.ts';
import { FILTER_USAGE, parseCompare, parseFilter } from '../../../../shared/contract/report/report-text.ts';
import { COMPARISON_NAMES } from '../../../../shared/lib/compared-period.ts';
import type {
  Compare,
  Dimension,
  Experience,
  FieldCatalogue,
  Filter,
  Metric,
  SortValue,
} from '../../../../shared/web/client/client.ts';
import type { Wording } from '../query/explain-error.ts';
import { collect, FieldNames, requireAll } from '../query/field-names.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE } from '../query/open-client.ts';

const FORMATS = ['table', 'csv', 'spreadsheet', 'arrow', 'json'] as const;
export type Format = (typeof FORMATS)[number];

const EXTENSIONS: ReadonlyMap<string, Format> = new Map([
  ['.csv', 'csv'],
  ['.arrow', 'arrow'],
  ['.arrows', 'arrow'],
  ['.json', 'json'],
  ['.txt', 'table'],
]);

export const REPORT_USAGE = `usage: npx endcap report [--metrics NAMES] [--by NAMES] [OPTIONS]
       npx endcap report --fields [TEXT]

Prints a report, for example
  npx endcap report --by campaign_name,daily_date --metrics cost,impressions,halo_roas --last 28d --filter 'cost>50' --sort cost --limit 3 --totals --chart
  --metrics NAMES    metrics, separated by commas; required without --by
  --by NAMES         dimensions to group by, separated by commas; default: none, which is one row
  --experience NAME  ${REPORT_EXPERIENCES.join(', ')}; default: pla
  --last PERIOD      days or weeks, such as 28d or 4w, up to the last complete day; default: 7d
  --from DAY         first day: YYYY-MM-DD, or today, yesterday, latest (the last complete day), startOfWeek, endOfWeek, or the same of Month, Quarter and
                     Year, also with an offset, such as today-28d, startOfMonth-1m, endOfWeek+1w
  --to DAY           last day, in the same forms; default: latest
  --compare PERIOD   adds the figures of another period and the change: ${COMPARISON_NAMES.join(', ')},
                     or two days in the same forms: 2025-11-01..2025-11-30
  --filter FILTER    a condition, which can be repeated; rows must meet all:
${FILTER_USAGE.replaceAll(/^/gm, '                   ')}
  --advertisers IDS  only these advertisers, separated by commas
  --sort FIELDS      requested fields: cost, cost:asc, campaign_name:desc; default: all requested dates and hours ascending, else the first metric descending;
                     without an order, a metric descends and a dimension ascends; with --compare also cost:change, cost:asc:relativeChange,
                     cost:compared
  --limit N          number of rows; default: 50 in a table, else all
  --totals           adds the totals over all rows to a table
  --chart            adds a bar of the first metric that is a number to each row of a table
  --format FORMAT    ${FORMATS.join(', ')}; default: that of the name of FILE, else table;
                     spreadsheet is CSV with a byte order mark, and with an apostrophe before texts that Excel would calculate
  --out FILE         writes a file instead of the standard output: ${[...EXTENSIONS.keys()].join(', ')}
  --validate-only    checks the report and prints what it would cost, without reading its facts
  --fields [TEXT]    lists the metrics and dimensions, all or those with the text, instead of a report
${SERVICE_USAGE}
Exit codes: 0 if there is a report, also an empty one; 1 if there is none.`;

export const REPORT_OPTIONS = {
  ...SERVICE_OPTIONS,
  metrics: { type: 'string' },
  by: { type: 'string' },
  experience: { type: 'string' },
  last: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  compare: { type: 'string' },
  filter: { type: 'string', multiple: true },
  advertisers: { type: 'string' },
  sort: { type: 'string' },
  limit: { type: 'string' },
  totals: { type: 'boolean' },
  chart: { type: 'boolean' },
  format: { type: 'string' },
  out: { type: 'string' },
  'validate-only': { type: 'boolean' },
  fields: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface ReportArguments {
  readonly metrics?: string;
  readonly by?: string;
  readonly compare?: string;
  readonly filter?: readonly string[];
  readonly advertisers?: string;
  readonly sort?: string;
}

interface UndatedQuery {
  readonly metrics: readonly Metric[];
  readonly dimensions: readonly Dimension[];
  readonly filters: readonly Filter[];
  readonly advertiserIds: readonly number[];
  readonly sort: readonly {
    readonly field: Metric | Dimension;
    readonly order: 'ASC' | 'DESC';
    readonly by?: SortValue;
  }[];
  readonly compare?: Compare;
}

/** @returns the request that the options describe, with the default order. @throws an error with everything that is wrong with the options */
export function readUndatedQuery(options: ReportArguments, catalogue: FieldCatalogue['data']): UndatedQuery {
  const names = new FieldNames(catalogue);
  const [metrics, dimensions, filters, advertiserIds, sort, compare] = requireAll([
    () => names.metrics(split(options.metrics)),
    () => names.dimensions(split(options.by)),
    () => collect(options.filter ?? [], (text) => names.withField(parseFilter(text))),
    () => readAdvertiserIds(options.advertisers),
    () => (options.sort === undefined ? undefined : readSort(options.sort, names)),
    () => (options.compare === undefined ? undefined : parseCompare(options.compare)),
  ]);
  const query = { metrics, dimensions, filters, advertiserIds, sort: sort ?? defaultSort(metrics, dimensions) };
  return compare === undefined ? query : { ...query, compare };
}

/** @returns the ids; none, which selects all advertisers of the key, only if the option is absent. An empty list, as from an empty variable of a script, is an error. */
function readAdvertiserIds(list: string | undefined): number[] {
  if (list !== undefined && split(list).length === 0) throw new Error('--advertisers has no id');
  return collect(split(list), readAdvertiserId);
}

function readAdvertiserId(text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new Error(`--advertisers has ${text}; it must be ids, separated by commas`);
  return Number(text);
}

/** @returns the experience, ignoring case. @throws Error that names the experiences if there is no such one */
export function readExperience(name = 'pla'): Experience {
  const experience = REPORT_EXPERIENCES.find((candidate) => candidate === name.toLowerCase());
  if (experience === undefined) throw new Error(`--experience is ${name}; it must be ${REPORT_EXPERIENCES.join(', ')}`);
  return experience;
}

/**
 * @param out path of the file; its extension selects the format if `name` is undefined
 * @returns the format; without both, a table
 * @throws Error if there is no such format, none is given and the extension is unknown, or the two contradict each other
 */
export function readFormat(name: string | undefined, out?: string): Format {
  const format = FORMATS.find((candidate) => candidate === name);
  if (name !== undefined && format === undefined)
    throw new Error(`--format is ${name}; it must be ${FORMATS.join(', ')}`);
  if (out === undefined) return format ?? 'table';
  const extension = extname(out).toLowerCase();
  const meant = EXTENSIONS.get(extension);
  if (format === undefined && meant === undefined)
    throw new Error(
      `--out is ${out}; its name must end with ${[...EXTENSIONS.keys()].join(', ')}, or use --format ${FORMATS.join(', ')}`,
    );
  const isSpreadsheet = format === 'spreadsheet' && meant === 'csv';
  if (format !== undefined && meant !== undefined && format !== meant && !isSpreadsheet)
    throw new Error(`--format ${format} and --out ${out} contradict each other: ${extension} is the format ${meant}`);
  return format ?? meant ?? 'table';
}

/** @returns the dates of the period. @throws Error if `--last` is not a period, or is combined with a day; or if `--to` has no `--from` */
export function readPeriod({ last, from, to }: Readonly<Partial<Record<'last' | 'from' | 'to', string>>>) {
  if (from !== undefined && last === undefined) return { startDate: from, endDate: to ?? 'latest' };
  if (from !== undefined || to !== undefined)
    throw new Error(last === undefined ? '--to needs --from' : '--last cannot be combined with --from or --to');
  const [, count, unit] = /^([1-9]\d{0,2})([dw])$/.exec(last ?? '7d') ?? [];
  if (count === undefined)
    throw new Error(`--last is ${last}; it must be a number of days or weeks: 28d, 4w; or use --from and --to`);
  const days = Number(count) * (unit === 'w' ? 7 : 1) - 1;
  return { startDate: days === 0 ? 'latest' : `latest-${days}d`, endDate: 'latest' };
}

/** @returns the filters in single quotes, for a POSIX shell */
function quoteFilters({ filter = [] }: ReportArguments): string[] {
  return filter.map((text) => `'${text.replaceAll("'", "'\\''")}'`);
}

/** @returns the command-line options for the members of the request body, for error messages */
export function wordingOf(options: ReportArguments & { readonly from?: string }): Wording {
  return {
    members: {
      startDate: options.from === undefined ? '--last' : '--from',
      endDate: options.from === undefined ? '--last' : '--to',
      metrics: '--metrics',
      dimensions: '--by',
      filters: '--filter',
      sort: '--sort',
      compare: '--compare',
      pagination: '--limit',
      advertiserIds: '--advertisers',
    },
    filters: quoteFilters(options),
    advertiserIds: split(options.advertisers).map(Number),
    advertisersAdvice: 'Those that you may see: npx endcap report --by advertiser_id,advertiser_name --last 52w',
  };
}

/** @param fallback the limit without `--limit` @throws Error if the text is not an integer from 1 to 999,999,999 */
export function readLimit(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--limit is ${text}; it must be an integer from 1 to 999999999`);
  return Number(text);
}

const TIME_DIMENSIONS: ReadonlySet<string> = new Set(Object.keys(DIMENSION_GROUPS.time));

/** The default order: dates and hours ascending; without them, the first metric descending. */
function defaultSort(metrics: readonly Metric[], dimensions: readonly Dimension[]): UndatedQuery['sort'] {
  const times = dimensions.filter((name) => TIME_DIMENSIONS.has(name));
  if (times.length > 0) return times.map((field) => ({ field, order: 'ASC' }));
  return metrics.slice(0, 1).map((field) => ({ field, order: 'DESC' }));
}

function readSort(text: string, names: FieldNames): UndatedQuery['sort'] {
  return collect(split(text), (entry) => {
    const [name = '', ...parts] = entry.split(':');
    const field = names.field(name);
    const order = parts.find((part) => part === 'asc' || part === 'desc');
    const by = SORT_VALUE_NAMES.find((value) => parts.includes(value));
    if (parts.some((part) => part !== order && part !== by) || new Set(parts).size < parts.length)
      throw new Error(
        `--sort has ${entry}; the order is asc or desc: ${name}:desc; with --compare also ${name}:${SORT_VALUE_NAMES.slice(1).join(` or ${name}:`)}`,
      );
    const isMetric = names.isMetric(field);
    const sorted = { field, order: (order ?? (isMetric ? 'desc' : 'asc')) === 'desc' ? 'DESC' : 'ASC' } as const;
    return by === undefined ? sorted : { ...sorted, by };
  });
}

function split(list = ''): string[] {
  const names = list.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}
