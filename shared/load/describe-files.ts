import { EXPERIENCES, FACT_TABLES, type FactTable } from '../catalog/tables.ts';
import { factColumns } from './fact-columns.ts';
import {
  type ColumnSpec,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  type ListingFile,
  listingColumns,
} from './file-columns.ts';
import { REFUSED_ENDS } from './find-files.ts';
import { describeType } from './value-types.ts';

const LISTING_ABOUT: Readonly<Record<ListingFile, string>> = {
  accounts: 'Who buys advertising: what users are members of.',
  advertisers: 'Whose products are advertised; owned by one account or several.',
  contacts: 'People of the accounts.',
  addresses: 'Addresses of the accounts.',
  placements: 'Where advertisements are shown.',
  products: 'What the advertisers sell.',
  campaigns: 'Campaigns of the advertisers.',
  ad_groups: 'Ad groups of the campaigns: what facts belong to.',
  creatives: 'What was shown.',
  insertion_orders: 'Billing of the campaigns.',
  users: 'Who may call the interface; API keys are made for them with `npm run key`.',
  freshness: `Up to which day the data are complete, where that is not the latest day with delivery of any advertiser: for operators who load advertisers
apart. For an advertiser, its own row of the experience counts; without one, the row of the experience that has no advertiser; without that, the latest day with
delivery of any advertiser in the experience. With the rows (\`pla\`, advertiser 10, 2026-03-05) and (\`pla\`, no advertiser, 2026-03-08), the data of advertiser 10 in
\`pla\` are complete through March 5 and those of all others through March 8; in \`toa\`, through its latest day with delivery. A report over several advertisers
shows the earliest of their days.`,
};

const FACTS_ABOUT: Readonly<Record<FactTable, string>> = {
  delivery: 'Impressions and what followed from them, of the advertisers’ ad groups.',
  conversions:
    'Purchases credited to an advertisement. Day and hour are the purchase’s; placement, keyword, entity and creative the credited touch’s.',
  activity: 'When the ad groups were live.',
  market:
    'Impressions of all advertisers together, for share_of_voice; loaded by the operator, never summed from delivery.',
};

/** @returns the load files with all their columns as Markdown, for the README: made from the specs that files are checked by. */
export function describeFiles(): string {
  const listings = LISTING_FILES.map((it) => describeFile(it, LISTING_ABOUT[it], listingColumns(it)));
  const facts = FACT_TABLES.map((it) => describeFile(`facts/<experience>/${it}*`, FACTS_ABOUT[it], factColumns(it)));
  const deletions = describeFile(DELETIONS_FILE, 'Days without facts.', DELETION_COLUMNS);
  const parts = [INTRODUCTION, '### Listing files', ...listings, '### Fact files', FACTS, ...facts];
  return [...parts, '### Days to be emptied', DELETIONS, deletions].join('\n\n');
}

const INTRODUCTION = `A folder holds any of the files below, each as \`.ndjson\` (or \`.jsonl\`: one JSON object a line), \`.csv\` (comma, header, quotes as in
RFC 4180) or \`.parquet\`, and each of these also with \`.gz\`. Text is UTF-8, its characters counted as code points; lines end in LF or CRLF, and a line break
within quotes is kept as it is. An absent value is an absent member, null, or an empty text or cell. Lists are
JSON or Parquet lists; in CSV their members are joined by \`|\`. Integers and UPCs may have a fraction of zeros (\`1.0\`, \`1111.0\`), as pandas writes columns
with gaps. Money and other decimals may be numbers or text; they are read as exact decimals, and more
decimals than the column has are an error, never rounded. Dates are \`YYYY-MM-DD\`, of the years 0100 to 9999, in facts from 1970 on; a timestamp
is a date at midnight, and one with a zone (\`2026-03-08T05:00:00Z\`, Parquet's adjusted to UTC) at the instant at which a day of the platform's zone begins. A column that is not listed here is an error, and so is a file that has
another name but looks like data: of these formats, or ending in ${REFUSED_ENDS.map((it) => `\`.${it}\``).join(' ')}. Any other file
(\`.txt\`, \`.md\`, \`.pdf\` …) is ignored with a warning, one that begins with \`.\` or \`_\` without.

A listing file replaces its listing as a whole; one without rows (a CSV has its header all the same) empties it, with a warning. What it refers to (→) must be
in the folder or loaded before.`;

const FACTS = `Fact files lie in \`facts/<experience>/\`, the experience being ${EXPERIENCES.map((it) => `\`${it}\``).join(', ')}. A table may come in several files: whatever
follows the table's name is yours, as in \`delivery-2026-03.parquet\`. Rows with equal keys are summed and their users united, so rows may be as fine as single
impressions. The days that a folder has of an advertiser (of the platform, for market) in one experience and table replace those loaded before; other days stay.
Facts stay with the advertiser they were loaded for: an ad group that has any, and its campaign, cannot go to another advertiser; within one it may change campaigns.

Some facts are most often a mistake, but can be loaded. A warning counts their rows and names two: rows in an hour that the platform's clocks skip on that day;
with a creative of another advertiser, whose name reports show all the same; with an \`entity_id\` that is no product of the advertiser; and ad groups that were live
for longer than the hour lasts, or than they were scheduled, rows with equal keys summed.`;

const DELETIONS = `A fact file replaces the days that it has rows of; one without rows says nothing about days, whatever its name. To take away the facts of a day, name the day in a
file \`${DELETIONS_FILE}\` in the folder itself. It is part of the load like any other file: all of it is done or nothing. A day that has no rows is a warning, so that a folder
may be loaded again; a day that the folder's fact files have rows of, too, is an error.`;

function describeFile(name: string, about: string, columns: readonly ColumnSpec[]): string {
  const rows = columns.map((it) => `| \`${it.name}\` | ${describeType(it.type)} | ${presence(it)} | ${meaning(it)} |`);
  return [`#### \`${name}\``, '', about, '', '| Column | Type | Absent | Meaning |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function presence({ required, default: given }: ColumnSpec): string {
  if (required === true) return 'never';
  return given === undefined ? 'may be' : `= ${given}`;
}

function meaning({ about, refers }: ColumnSpec): string {
  return refers === undefined ? about : `${about} → ${refers}`;
}
