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
import { describeType } from '../../../shared/load/schema/value-types.ts';

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
  freshness: `The day through which the data is complete, if that is not the latest day with delivery of any advertiser: for operators who load
advertisers separately. An advertiser's own row of the experience comes first; without one, the row of the experience without an advertiser; without that, the latest
day with delivery of any advertiser in the experience. With the rows (\`pla\`, advertiser 10, 2026-03-05) and (\`pla\`, no advertiser, 2026-03-08), the data of
advertiser 10 in \`pla\` is complete through March 5 and that of all others through March 8; in \`toa\`, through its latest day with delivery. A report over several
advertisers shows the earliest of their days.`,
};

const FACTS_ABOUT: Readonly<Record<FactTable, string>> = {
  delivery: 'Impressions of the ad groups, with clicks, cost and video events.',
  conversions:
    'Purchases attributed to an ad. Day and hour are those of the purchase; placement, keyword, entity and creative those of the click or impression that it is attributed to.',
  activity: 'How long the ad groups were live and scheduled.',
  market: `Impressions of all advertisers together, for share_of_voice; loaded by the operator, never summed from delivery. A row is one hour of one slice, which
is a placement, division banner and keyword. Reports compare it with the delivery of exactly that hour and slice, so a file with one row per day is not enough.
Not needed in toa, where share_of_voice is undefined.`,
};

/** @returns the columns of each load file as a Markdown section, as the loader's page has it: made from the specs that files are checked by. */
export function describeFiles(): string[] {
  return [
    ...LISTING_FILES.map((listing) => describeFile(listing, LISTING_ABOUT[listing], listingColumns(listing))),
    ...FACT_TABLES.map((table) => describeFile(`facts/<experience>/${table}*`, FACTS_ABOUT[table], factColumns(table))),
    describeFile(
      '<listing>.patch',
      'The columns of the listing, and the column below. A row to be deleted needs only its id and `deleted`.',
      [DELETED_COLUMN],
    ),
    describeFile(DELETIONS_FILE, 'Days to be emptied.', DELETION_COLUMNS),
  ];
}

function describeFile(name: string, about: string, columns: readonly ColumnSpec[]): string {
  const rows = columns.map(
    (spec) => `| \`${spec.name}\` | ${describeType(spec.type)} | ${presence(spec)} | ${meaning(spec)} |`,
  );
  return [`#### \`${name}\``, '', about, '', '| Column | Type | Absent | Meaning |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function presence({ required, default: value }: ColumnSpec): string {
  if (required === true) return 'never';
  return value === undefined ? 'may be' : `= ${value}`;
}

function meaning({ about, refers }: ColumnSpec): string {
  return refers === undefined ? about : `${about} → ${refers}`;
}
