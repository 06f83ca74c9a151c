import { EXPERIENCES, tableHas } from '../../catalog/tables.ts';
import { type FactHead, type PartitionRef, PLATFORM_ID } from '../../layout/partitions.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { readFactHeads } from '../../store/facts/manifests.ts';
import type { Table } from '../../store/table/table.ts';
import type { References } from '../encode/code-facts.ts';
import type { FactWarnings } from '../encode/fact-warnings.ts';
import { type FactReading, type ReadFacts, readFacts } from '../encode/read-facts.ts';
import { warnOfPlans } from '../listings/changed-plans.ts';
import { checkReferences, isDamaged } from '../listings/check-references.ts';
import { replaceListing } from '../listings/keep-delisted.ts';
import {
  isKnown,
  isListed,
  type Network,
  ownersOfAdGroups,
  readNetwork,
  seesAll,
  textsOf,
} from '../listings/known-network.ts';
import {
  type CellRow,
  idKey,
  type ParsedListing,
  type ParsedRows,
  parseListing,
  type RowReading,
} from '../listings/parse-rows.ts';
import { patchListing } from '../listings/patch-listing.ts';
import {
  DELETIONS_FILE,
  LISTING_FILES,
  type ListingFile,
  listingColumns,
  patchColumns,
} from '../schema/file-columns.ts';
import { MAX_EXAMPLES, type Problem, type Problems } from '../schema/problems.ts';
import { periodOf, type ReplaceMode } from '../schema/replace-modes.ts';
import { TextIds } from '../schema/text-ids.ts';
import { TimeZone } from '../schema/time-zone.ts';
import { type FolderColumns, readColumnsFile } from '../source/column-names.ts';
import { classifyFiles, EXPECTED_FILES, type FolderFiles } from '../source/find-files.ts';
import { type Cascade, findOwnedDays, removeOwned } from './cascade.ts';
import { type CheckedDeletions, checkDeletions } from './check-deletions.ts';
import { checkOwners } from './check-owners.ts';
import { warnOfLackingDays } from './lacking-days.ts';
import {
  checkHours,
  checkPeriod,
  DaySet,
  findMarket,
  findOthers,
  type PartitionDays,
  rowsOfFacts,
  warnOfKept,
} from './replacement.ts';

/** A folder that was checked and is not written yet. Write it only if there are no problems. */
export interface CheckedFolder {
  /** The commit that the folder was checked against. */
  readonly state: CommitState;
  readonly listings: ReadonlyMap<ListingFile, ParsedListing>;
  /** The network before the load and after it. If the folder has no listing files, both have only the `neededListings`. */
  readonly before: Network;
  readonly after: Network;
  readonly facts: readonly ReadFacts[];
  /** The days that have rows before the load and none after it. */
  readonly emptied: readonly PartitionDays[];
  /** Whether a day keeps the hours that the folder does not have of it. */
  readonly keepsHours: (ref: PartitionRef, day: number) => boolean;
  /** Whether it is known that a day loses rows: `deletions` or a cascade empties it, or hours are replaced. */
  readonly mayShrink: (ref: PartitionRef, day: number) => boolean;
  /** Whether a new day, a day number, may lack rows that a later load has: it is not over, or only some of its hours are loaded. */
  readonly mayGrow: (day: number) => boolean;
  /** The hours of a day number that clocks repeat, of which the folder may have one of two only. */
  readonly repeatedHours: (day: number) => readonly number[];
  readonly warnings: string[];
  readonly textIds: TextIds;
  /** Warnings of suspicious facts. */
  readonly factWarnings: FactWarnings;
}

/** The listings that facts refer to, and the campaigns and advertisers, which own ad groups. */
const FACT_LISTINGS = ['advertisers', 'placements', 'campaigns', 'ad_groups'] as const satisfies readonly ListingFile[];

/** What a folder is read with. */
type FolderReading = FactReading &
  RowReading & {
    readonly folder: string;
    readonly userIdKey: Uint8Array;
    /** The columns that are not stored, by listing or fact table. */
    readonly ignored: FolderColumns['names'];
    /** In the platform's time zone, as a day number. */
    readonly today: number;
    /** Absent: as `columns.json` says, else `advertiser-days`, with a warning of what stays. */
    readonly replace?: ReplaceMode | undefined;
  };

/** What is given before the folder is read. */
type GivenReading = Omit<FolderReading, 'columns' | 'textIds'>;

/** The folder's files, and the network without and with its listings. */
interface CheckedListings extends Pick<CheckedFolder, 'state' | 'listings' | 'before' | 'after'> {
  readonly reading: FolderReading;
  readonly table: Table;
  readonly files: FolderFiles;
  readonly cascade: Cascade;
  /** Of rows loaded before that the listings leave without what they refer to. */
  readonly removals: readonly Problem[];
}

/** All rows of the folder, of which those of facts are spilled. */
interface CheckedRows extends CheckedListings {
  readonly facts: readonly ReadFacts[];
  readonly deletions: CheckedDeletions;
}

/** Reads all files of the folder, and checks them against each other and against what the table holds as of `state`. */
export async function checkFolder(given: GivenReading, table: Table, state: CommitState): Promise<CheckedFolder> {
  const checkedListings = await checkListings(given, table, state);
  const checkedRows = await checkRows(checkedListings);
  return findReplacedDays(checkedRows);
}

async function checkListings(given: GivenReading, table: Table, state: CommitState): Promise<CheckedListings> {
  const { source, problems, folder } = given;
  const files = classifyFiles(await source.list(), problems);
  const columns = await readColumnsFile(source, files.columns, problems);
  const names = { ...columns.names };
  for (const [holds, ignored] of Object.entries(given.ignored)) names[holds] = { ...ignored, ...names[holds] };
  if (files.listings.length + files.facts.length === 0 && files.deletions === undefined && problems.count === 0) {
    problems.addFile(folder, `has none of the expected files: ${EXPECTED_FILES.join('; ')}`);
  }
  const before = await readNetwork(table, state, neededListings(files));
  const textIds = new TextIds(textsOf(before));
  const reading = { ...given, columns: { ...columns, names }, replace: given.replace ?? columns.replace, textIds };
  const listings = await readListings(reading, files, before);
  const cascade = removeOwned(listings, before);
  const replaced = [...listings.values()].map((parsed) => [parsed.listing, parsed.rows] as const);
  const after: Network = { ...before, ...Object.fromEntries(replaced) };
  const removals = checkReferences({ before, after }, listings, problems);
  await checkOwners(before, after, listings, problems, table, state);
  return { reading, table, state, files, before, after, listings, cascade, removals };
}

async function checkRows(checked: CheckedListings): Promise<CheckedRows> {
  const { reading, table, state, files, after, listings, removals } = checked;
  const { problems, timeZone, productIds, userIdKey, pool } = reading;
  const damaged = (listing: ListingFile) => isDamaged(listings.get(listing), problems);
  const owners = ownersOfAdGroups(after);
  const idsOf = (isWanted: typeof isKnown) =>
    new Map(
      (['ad_groups', 'placements'] as const).flatMap((listing) =>
        damaged(listing) ? [] : [[listing, new Set(after[listing].filter(isWanted).map((row) => row.id))] as const],
      ),
    );
  const [ids, deletedIds] = [idsOf(isKnown), idsOf((row) => !isKnown(row))];
  const names = await readOwnedTexts(files, after, table, state);
  const references = { timeZone, productIds, userIdKey, ids, deletedIds, owners, ...names };
  pool.setReferences({ ...references, texts: textsOf(after, ['ad_groups', 'placements']) }, problems.limit);
  const facts = await readFacts(reading, files.facts);
  const deletions = await checkDeletions(reading, files.deletions, {
    table,
    state,
    listedAdvertisers: damaged('advertisers') ? undefined : new Set(after.advertisers.map((row) => row.id)),
    advertisersWithFacts: new Set(owners.values()),
  });
  for (const problem of removals) problems.add(problem);
  return { ...checked, facts, deletions };
}

/** Finds the stored days that the folder empties or replaces. */
async function findReplacedDays(checked: CheckedRows): Promise<CheckedFolder> {
  const { reading, table, state, files, before, after, listings, cascade, facts, deletions } = checked;
  const { problems, replace, factWarnings, textIds } = reading;
  const owned = await findOwnedDays(cascade.ids, table, state);
  const isRemoved = ({ ref }: PartitionDays) => cascade.ids.has(ref.advertiserId);
  const hasRows = rowsOfFacts(facts);
  const zone = new TimeZone(reading.timeZone);
  const deleted = deletions.deleted.filter((days) => !isRemoved(days));
  const isDeleted = new DaySet(deleted);
  const period = periodOf(replace);
  if (period !== undefined) checkPeriod(facts, period, problems);
  if (replace === 'hours') checkHours(facts, problems);
  const warningsOfFuture = checkFuture(facts, reading);
  const removesOthers = replace === 'days' || period !== undefined;
  const findsOthers = problems.count === 0 && (replace === undefined || removesOthers);
  const othersFound = findsOthers ? await findOthers(table, state, facts, period) : [];
  const platform = (await readFactHeads(table, [PLATFORM_ID], state)).get(PLATFORM_ID);
  const storedDays = platform?.days ?? new Map();
  if (period !== undefined) othersFound.push(...findMarket(facts, storedDays, period));
  const others = isDeleted.without(othersFound.filter((days) => !isRemoved(days)));
  const warnings = files.ignored.map(
    (name) => `${name}: ${/(^|\/)_[^/]*$/.test(name) ? 'its name begins with _' : 'not a data file'}, ignored`,
  );
  if (problems.count === 0)
    warnings.push(
      ...problems.warnings,
      ...problems.roundings.list(),
      ...problems.emptyCells.list(),
      ...warnOfCascade(cascade.rows, owned.summary),
      ...warnOfListings(listings, { before, after }),
      ...facts.flatMap((read) => warnOfEmptyFacts(read, period !== undefined)),
      ...warnOfFreshness(checked, platform),
      ...warnOfPlans(before, after, platform),
      ...warningsOfFuture,
      ...deletions.warnings,
      ...(replace === undefined ? warnOfKept(others) : []),
      ...(replace === 'hours' || period !== undefined ? [] : warnOfLackingDays(facts, storedDays, deleted)),
    );
  return {
    ...{ state, listings, before, after, facts, warnings, factWarnings, textIds },
    emptied: [
      ...deleted.map(({ ref, days }) => ({ ref, days: days.filter((day) => !hasRows(ref, day)) })),
      ...(removesOthers ? others : []),
      ...owned.emptied,
    ],
    keepsHours: (ref, day) => replace === 'hours' && !isDeleted.has(ref, day),
    mayShrink: (ref, day) => replace === 'hours' || isDeleted.has(ref, day) || cascade.ids.has(ref.advertiserId),
    repeatedHours: (day) => (reading.columns.filesAddUp ? [] : zone.repeatedHours(day)),
    mayGrow: (day) => replace === 'hours' || day >= reading.today,
  };
}

/** @returns the stored listings that the folder's files are checked against, besides the creatives and products of facts */
function neededListings({ listings }: FolderFiles): readonly ListingFile[] {
  return listings.length > 0 ? LISTING_FILES : FACT_LISTINGS;
}

/**
 * @param after the network after the load, which has creatives and products only if the folder has listings: they may be many, and not all folders need them
 * @returns the creatives and products that facts are compared with
 */
async function readOwnedTexts(
  found: FolderFiles,
  after: Network,
  table: Table,
  state: CommitState,
): Promise<Pick<References, 'creatives' | 'products' | 'chosenProducts'>> {
  const isNeeded = found.facts.some((file) => tableHas(file.table, 'entity_id'));
  const network =
    found.listings.length > 0 || !isNeeded ? after : await readNetwork(table, state, ['creatives', 'products']);
  const byAdvertiser = Map.groupBy(network.products, (product) => product.advertiserId);
  return {
    creatives: new Set(network.creatives.map(({ key }) => key)),
    products: new Map([...byAdvertiser].map(([id, products]) => [id, new Set(products.map(({ upc }) => upc))])),
    chosenProducts: chosenProducts(isNeeded ? after.ad_groups : [], network.products),
  };
}

/** @returns the UPCs of the products of each ad group that does not have all of its advertiser */
function chosenProducts(adGroups: Network['ad_groups'], products: Network['products']): References['chosenProducts'] {
  const upcs = new Map(products.map(({ id, upc }) => [id, upc]));
  return new Map(
    adGroups.flatMap(({ id, productIds = [] }) => {
      if (productIds.length === 0) return [];
      return [[id, new Set(productIds.flatMap((product) => upcs.get(product) ?? []))] as const];
    }),
  );
}

async function readListings(
  reading: FolderReading,
  found: FolderFiles,
  before: Network,
): Promise<Map<ListingFile, ParsedListing>> {
  const listings = new Map<ListingFile, ParsedListing>();
  for (const files of found.listings) {
    const { holds, name, isPatch } = files;
    const stored = before[holds];
    const columns = isPatch ? patchColumns(holds) : listingColumns(holds);
    const parsed = await parseListing(reading, files, columns, isPatch ? stored.filter(isListed) : undefined);
    reading.onRows(parsed.rows.length);
    checkIdTexts(parsed, stored, reading.problems);
    const after = isPatch
      ? patchListing(files, parsed, stored, reading.problems)
      : { ...parsed, rows: replaceListing(holds, parsed.rows, stored) };
    listings.set(holds, { listing: holds, file: name, files: files.files.map((file) => file.name), ...after });
  }
  return listings;
}

/** An integer is not the id of a row whose id was loaded as a text, and the reverse: that is a mistake, or two ids have the same integer. */
function checkIdTexts({ rows, places }: ParsedRows, stored: readonly CellRow[], problems: Problems): void {
  const known = new Map(stored.map((row) => [row.id, row]));
  for (const [index, { id, idText }] of rows.entries()) {
    const row = known.get(id);
    const place = places[index];
    if (id === undefined || row === undefined || place === undefined || row.idText === idText) continue;
    const [own, other] = [idText, row.idText].map((text) => text ?? `the integer ${id}`);
    problems.add({ ...place, field: 'id', reason: `${own} was loaded as ${other}: write that, or change one of them` });
  }
}

function warnOfListings(
  listings: ReadonlyMap<ListingFile, ParsedListing>,
  { before, after }: Pick<CheckedFolder, 'before' | 'after'>,
): string[] {
  const all = [...listings.values()];
  const emptyListings = all.filter((parsed) => !parsed.rows.some(isListed) && parsed.patch === undefined);
  return [
    ...all.flatMap((parsed) => [...warnOfArchived(parsed, before), ...warnOfLoss(parsed, before)]),
    ...emptyListings.map((parsed) => `${parsed.file}: no rows, so the listing ${parsed.listing} is empty now`),
    ...all.flatMap((parsed) => parsed.patch?.warnings ?? []),
    ...(listings.has('users') ? warnOfAllAccounts(after) : []),
  ];
}

/** A day of freshness after the latest one with delivery declares days complete that were never loaded. */
function warnOfFreshness({ after, facts, listings }: CheckedRows, platform: FactHead | undefined): string[] {
  const file = listings.get('freshness')?.file;
  if (file === undefined) return [];
  return EXPERIENCES.flatMap((experience) => {
    const read = facts.find((other) => other.experience === experience && other.table === 'delivery');
    const loaded = [...(read?.partitions.dayNumbers() ?? [])].map(formatDay);
    const stored = platform?.latestDelivery.get(experience);
    const latest = [...(stored === undefined ? [] : [stored]), ...loaded].sort().at(-1); // none before the first load of facts
    const stated = after.freshness.filter((row) => row.experience === experience);
    const through =
      stated
        .map(({ completeThrough }) => completeThrough)
        .sort()
        .at(-1) ?? '';
    if (latest === undefined || through <= latest) return [];
    return [`${file}: completeThrough ${through} in ${experience} is after ${latest}, the latest day with delivery`];
  });
}

/** Days after tomorrow have a wrong year or the fields of a date in another order: they are problems. Tomorrow may come from another time zone. */
function checkFuture(facts: readonly ReadFacts[], { today, timeZone, problems }: FolderReading): string[] {
  return facts.flatMap(({ experience, table, partitions }) => {
    const latest = Math.max(...partitions.dayNumbers());
    if (latest <= today) return [];
    const file = `facts/${experience}/${table}*`;
    const reason = `rows of ${formatDay(latest)}; today is ${formatDay(today)} in ${timeZone}`;
    if (latest === today + 1) return [`${file}: ${reason}`];
    problems.addFile(file, `${reason}, and no day may be after tomorrow`);
    return [];
  });
}

function warnOfCascade(rows: ReadonlyMap<string, number>, facts: readonly string[]): string[] {
  const parts = [...[...rows].map(([listing, count]) => `${listing}: rows ${count}`), ...facts];
  return parts.length === 0 ? [] : [`removed with cascade: ${parts.join('; ')}`];
}

function warnOfArchived({ file, listing, rows }: ParsedListing, before: Network): string[] {
  const stored = new Set<object>(before[listing]);
  const archived = rows.filter((row) => row.delisted === 'archived' && !stored.has(row)).length;
  if (archived === 0) return [];
  const [noun, verb, names] =
    archived === 1 ? [listing.slice(0, -1), 'is', 'its name'] : [listing, 'are', 'their names'];
  return [`${file}: ${archived.toLocaleString('en-US')} ${noun} ${verb} no longer listed; reports keep ${names}`];
}

/** Of users any loss is named, of other listings that reports do not keep the loss of more than half. */
function warnOfLoss({ file, listing, rows, patch }: ParsedListing, before: Network): string[] {
  const keyOf = (row: CellRow) => idKey(listing, row)?.key;
  const left = new Set(rows.map(keyOf));
  const stored = before[listing].filter(isListed);
  const lost = stored.filter((row) => !left.has(keyOf(row)));
  const isLoss = listing === 'users' ? lost.length > 0 : rows.some(isListed) && lost.length > stored.length / 2;
  if (patch !== undefined || !isLoss) return [];
  const examples = lost.slice(0, MAX_EXAMPLES).map(keyOf).join(', ');
  const keys = listing === 'users' ? '; their keys stop working' : '';
  return [`${file}: lacks ${lost.length} of the ${stored.length} rows of ${listing}, such as ${examples}${keys}`];
}

/** Whoever has a key of such a user sees everything. */
function warnOfAllAccounts({ users }: Network): string[] {
  const found = users.filter(seesAll);
  const examples = found.slice(0, MAX_EXAMPLES).map(({ userId }) => userId);
  return found.length === 0 ? [] : [`users who see all accounts: ${found.length}, such as ${examples.join(', ')}`];
}

/** An empty file named after a day or month may be meant as a deletion. */
function warnOfEmptyFacts({ experience, table, rows, emptyFiles }: ReadFacts, emptiesDays: boolean): string[] {
  const dated = emptiesDays ? [] : emptyFiles.filter((name) => DATED_NAME.test(name));
  if (dated.length === 0 && rows === 0) return [`facts/${experience}/${table}*: no rows`];
  return dated.map((name) => {
    return `${name}: no rows: no day is emptied, and facts loaded before stay; to empty days, list them in a ${DELETIONS_FILE} file`;
  });
}

/** Matches a file name with a month or day, such as `2026-03`, `202603`, `2026-03-08` or `20260308`. */
const DATED_NAME = /(?<!\d)(19|20)\d\d[-_.]?(0[1-9]|1[0-2])([-_.]?(0[1-9]|[12]\d|3[01]))?(?!\d)/;
