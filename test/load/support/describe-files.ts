import { isDeepStrictEqual } from 'node:util';
import { FACT_TABLES, type FactTable } from '../../../shared/catalog/tables.ts';
import { factColumns } from '../../../shared/load/schema/fact-columns.ts';
import {
  type ColumnSpec,
  DELETED_COLUMN,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  type ListingFile,
  listingColumns,
} from '../../../shared/load/schema/file-columns.ts';
import {
  BOOLEAN,
  COUNT,
  DATE,
  describeType,
  ID,
  ID_TEXT,
  LABEL_ID,
  MONEY,
  TEXT,
  UPC,
  type ValueType,
} from '../../../shared/load/schema/value-types.ts';

const LISTING_ABOUT: Readonly<Record<ListingFile, string>> = {
  accounts: 'The buyers of advertising. Users are members of accounts.',
  advertisers: 'The owners of advertised products; each belongs to one account or several.',
  contacts: 'Contact persons of the accounts.',
  addresses: 'Addresses of the accounts.',
  placements: 'Where advertisements are shown.',
  products: 'Products of the advertisers.',
  campaigns: 'Campaigns of the advertisers.',
  ad_groups: 'Ad groups of the campaigns. Facts belong to ad groups.',
  creatives: 'The creatives that were shown.',
  insertion_orders: 'Billing of the campaigns.',
  users: 'The callers of the API; API keys are created for them with `npm run key`.',
  freshness: `The day through which the data is complete, for operators who load advertisers separately. Without this file it is the latest day with delivery of
any advertiser in the experience. An advertiser's own row comes before the row without an advertiser. A report over several advertisers shows the earliest of their days.`,
};

const FACTS_ABOUT: Readonly<Record<FactTable, string>> = {
  delivery: 'Impressions of the ad groups, with clicks, cost and video events.',
  conversions:
    'Purchases attributed to an ad: day and hour of the purchase; placement, keyword, entity and creative of the click or impression.',
  activity: 'How long the ad groups were live and scheduled.',
  market: `Impressions of all advertisers together, for share_of_voice: a row for each hour and slice (placement, division banner and keyword), never summed from
delivery. Not needed in toa.`,
};

/** @returns the columns of each load file as a Markdown section, as the loader's page has it: made from the specs that files are checked by. */
export function describeFiles(): string[] {
  const shared = new Set(factColumns('delivery').map(describeColumn));
  return [
    ...LISTING_FILES.map((listing) => describeFile(listing, LISTING_ABOUT[listing], listingColumns(listing))),
    ...FACT_TABLES.map((table) =>
      describeFile(
        `facts/<experience>/${table}*`,
        FACTS_ABOUT[table],
        factColumns(table),
        table === 'delivery' ? undefined : shared,
      ),
    ),
    describeFile('<listing>.patch', 'The columns of the listing, and:', [DELETED_COLUMN]),
    describeFile(DELETIONS_FILE, 'Days to be emptied.', DELETION_COLUMNS),
  ];
}

/** @param described rows of a table above, which are named only */
function describeFile(
  name: string,
  about: string,
  columns: readonly ColumnSpec[],
  described: ReadonlySet<string> = new Set(),
): string {
  const same = columns.filter((spec) => described.has(describeColumn(spec))).map((spec) => `\`${spec.name}\``);
  const note = same.length === 0 ? '' : ` As in \`delivery\`: ${same.join(', ')}.`;
  const rows = columns.map(describeColumn).filter((row) => !described.has(row));
  return [`#### \`${name}\``, '', `${about}${note}`, '', '| Column | Value | Meaning |', '|---|---|---|', ...rows].join(
    '\n',
  );
}

function describeColumn(spec: ColumnSpec): string {
  return `| \`${spec.name}\` | ${nameType(spec.type)}${presence(spec)} | ${meaning(spec)} |`;
}

/** @returns the name that the page explains below "Values", or the type in words */
function nameType(type: ValueType): string {
  if (type.kind === 'list') return `${type.minLength > 0 ? 'non-empty list' : 'list'} of ${nameType(type.of)}s`;
  return NAMES.find(([named]) => isDeepStrictEqual(named, type))?.[1] ?? describeType(type);
}

const NAMES: readonly (readonly [ValueType, string])[] = [
  [ID, 'id'],
  [COUNT, 'count'],
  [MONEY, 'amount'],
  [TEXT, 'text'],
  [LABEL_ID, 'text'],
  [ID_TEXT, 'key'],
  [UPC, 'UPC'],
  [DATE, 'date'],
  [BOOLEAN, 'boolean'],
];

function presence({ required, default: value }: ColumnSpec): string {
  if (required === true) return ', required';
  return value === undefined || value === 0 ? '' : `, else ${value}`;
}

function meaning({ about, refers }: ColumnSpec): string {
  return refers === undefined ? about : `${about} → ${refers}`;
}
