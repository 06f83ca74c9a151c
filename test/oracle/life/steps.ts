import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import type { ReplaceMode } from '../../../shared/load/schema/replace-modes.ts';
import type { FolderRows } from '../../load/support/network-rows.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import type { Random } from '../random/random.ts';
import {
  ADVERTISERS,
  DAYS,
  dayOf,
  type Fact,
  fileRow,
  HOURS,
  KEYWORDS,
  type Life,
  type LifeRow,
  type LifeTable,
  withoutKeys,
} from './life.ts';

/** A folder that a life loads, and how. */
export interface Step {
  readonly what: string;
  readonly rows: FolderRows;
  readonly replace?: ReplaceMode;
}

type Mode = 'advertiser-days' | 'days' | 'hours' | 'period';

const TABLES: readonly LifeTable[] = ['delivery', 'conversions', 'market'];
const LOSABLE = {
  delivery: ['clicks', 'cost'],
  conversions: ['halo_revenue', 'halo_units', 'halo_exposed_transactions'],
  market: [],
} as const;

/** How often each kind of step is taken before the first is taken again. */
const KINDS: readonly (readonly [times: number, take: (life: Life) => Step | undefined])[] = [
  [4, (life) => loadFacts(life, 'advertiser-days')],
  [4, (life) => loadFacts(life, 'days')],
  [4, (life) => loadFacts(life, 'hours')],
  [4, (life) => loadFacts(life, 'period')],
  [3, retract],
  [3, patch],
  [3, changeBudget],
  [1, archive],
  [1, deleteCampaign],
  [1, removeAdvertiser],
  [1, addCampaign],
];

/** @returns steps of all kinds in random order, without end. The life has what the table must hold after each. */
export function* stepsOf(life: Life): Generator<Step, never> {
  for (const _ of ADVERTISERS) yield addCampaign(life);
  const kinds = KINDS.flatMap(([times, take]) => Array.from({ length: times }, () => take));
  for (;;) for (const take of life.random.sample(kinds, kinds.length)) yield take(life) ?? addCampaign(life);
}

/** Loads facts, mostly of days that the table has, so that rows are replaced. */
function loadFacts(life: Life, mode: Mode): Step | undefined {
  const { random } = life;
  const days = mode === 'period' ? DAYS.slice(random.int(3), 3 + random.int(3)) : DAYS;
  const replace = mode === 'period' ? (`${days[0]}..${days.at(-1)}` as const) : mode;
  const deletions = random.chance(0.3) ? retract(life)?.rows : {};
  const tables = mode === 'period' ? TABLES : random.sample(TABLES, 1 + random.int(TABLES.length));
  const files = tables.flatMap((table) => {
    const { experience, facts } = drawFile(life, table, mode, days);
    if (facts.length === 0 && mode !== 'period') return [];
    const columns = new Map(life.facts.map((fact) => [dayOf(fact), fact.row.unmeasured]));
    const replaced = new Set(facts.map(({ row }) => replacedKey(mode, row)));
    life.forget(
      (fact) =>
        fact.table === table &&
        fact.row.experience === experience &&
        (mode === 'period' ? days.includes(fact.row.date) : replaced.has(replacedKey(mode, fact.row))),
    );
    const kept = new Set(mode === 'hours' ? life.facts.map(dayOf) : []); // days with hours that stay
    life.put(facts.map((fact) => (kept.has(dayOf(fact)) ? keepColumns(fact, columns.get(dayOf(fact))) : fact)));
    return [[`facts/${experience}/${table}`, facts.map(({ row }) => fileRow(row))] as const];
  });
  const rows = { ...deletions, ...Object.fromEntries(files) };
  return Object.keys(rows).length === 0 ? undefined : { what: `load by ${mode}`, rows, replace };
}

/** @param unmeasured what the day lacked: it keeps the columns of the hours that stay */
function keepColumns({ table, row }: Fact, unmeasured = row.unmeasured): Fact {
  return { table, row: { ...row, unmeasured: (row.unmeasured ?? []).filter((name) => unmeasured?.includes(name)) } };
}

/** @returns a text that rows have in common with those that they replace */
function replacedKey(mode: Mode, { date, advertiserId, hour }: LifeRow): string {
  if (mode === 'days') return date;
  return mode === 'hours' ? `${date} ${advertiserId} ${hour}` : `${date} ${advertiserId}`;
}

/** @returns facts of an experience and table, on one or two of the days */
function drawFile(life: Life, table: LifeTable, mode: Mode, days: readonly string[]) {
  const { random } = life;
  const stored = life.facts.filter((fact) => fact.table === table && days.includes(fact.row.date));
  const met = random.chance(0.9) && stored.length > 0 ? random.pick(stored).row : undefined;
  const experience = table === 'market' ? 'pla' : (met?.experience ?? random.pick(EXPERIENCES, 2));
  const dates = [...new Set([met?.date ?? random.pick(days), random.pick(days)])].slice(0, 1 + random.int(2));
  const hours = mode === 'hours' ? random.pick([HOURS.slice(0, 2), HOURS.slice(2), [random.pick(HOURS)]]) : HOURS;
  const isEmpty = mode === 'period' && random.chance(0.2); // then all its days are emptied
  const owners = table === 'market' ? MARKET : drawOwners(life, mode, met?.advertiserId);
  const rows = (isEmpty ? [] : owners).flatMap((owner) =>
    dates.flatMap((date) =>
      hours.flatMap((hour) =>
        KEYWORDS.flatMap((keyword): LifeRow[] => {
          const keys = { experience, date, hour, ...owner, keyword: experience === 'pla' ? keyword : null };
          return random.chance(0.35) ? [{ ...keys, ...drawMeasures(random, table) }] : [];
        }),
      ),
    ),
  );
  const isOfWholeDay = new Set(stored.filter(({ row }) => row.hour === null).map(dayOf));
  const facts = loseCells(random, table, mode, rows).map((row): Fact => ({ table, row }));
  const accepted = mode === 'hours' ? facts.filter((fact) => !isOfWholeDay.has(dayOf(fact))) : facts; // a day without hours has none to replace
  return { experience, facts: withoutKeys(accepted) };
}

const MARKET = [{ advertiserId: PLATFORM_ID, ad_group_id: null }];

/** @param met the advertiser that has rows: its rows are replaced, or with `days`, it is another */
function drawOwners(life: Life, mode: Mode, met: number | undefined) {
  const { random } = life;
  const all = life
    .campaignsIn('listed')
    .flatMap(([, { advertiserId, adGroups }]) => [...adGroups.keys()].map((id) => ({ advertiserId, ad_group_id: id })));
  const others = all.filter(({ advertiserId }) => advertiserId !== met);
  if (mode === 'days') return random.sample(others, 1 + random.int(2));
  const own = all.filter(({ advertiserId }) => advertiserId === met);
  return [...random.sample(own, 1), ...random.sample(others, random.int(3))];
}

/** Some rows are credits, and some conversions returns. */
function drawMeasures(random: Random, table: LifeTable) {
  if (table === 'market') return { market_impressions: 1_000 + random.int(9_000), market_advertisers: 30 };
  const users = Array.from({ length: random.int(3) }, () => `user-${random.int(40)}`);
  if (table === 'delivery') {
    const cost = (random.int(5_000_000) - 1_000_000) / 1_000_000;
    return { impressions: 1 + random.int(500), clicks: random.int(9), cost, users };
  }
  const [units, revenue] = [random.int(5) - 1, (random.int(90_000_000) - 20_000_000) / 1_000_000];
  const exposed = { halo_exposed_transactions: units, halo_exposed_units: units, halo_exposed_revenue: revenue };
  return { halo_units: units, halo_revenue: revenue, ...exposed, users };
}

/** @returns the rows of a file, which sometimes lacks a measure or hours, or has credits only */
function loseCells(random: Random, table: LifeTable, mode: Mode, rows: readonly LifeRow[]): readonly LifeRow[] {
  if (table === 'market') return rows;
  const credits = table === 'delivery' && random.chance(0.2) ? { impressions: 0, users: [] } : {};
  const whole = mode !== 'hours' && random.chance(0.15) ? { hour: null } : {};
  const lost = random.sample(LOSABLE[table], random.chance(0.3) ? 1 : 0);
  const without = Object.fromEntries(lost.map((name) => [name, undefined]));
  return rows.map((row) => ({ ...row, ...credits, ...whole, ...without, unmeasured: lost }));
}

/** Empties one to three days, mostly of one owner and table, some of them of all advertisers. */
function retract(life: Life): Step | undefined {
  const { random } = life;
  const known = life.facts.filter(({ row }) => DAYS.includes(row.date));
  const [first] = random.sample(known, 1);
  const near = known.filter(({ table, row }) => table === first?.table && row.advertiserId === first.row.advertiserId);
  const from = new Map((random.chance(0.7) ? near : known).map((fact) => [dayOf(fact), fact]));
  const days = random.sample([...from.values()], 1 + random.int(3)).map(({ table, row }) => {
    const isOfAll = table === 'market' || random.chance(0.4);
    return { experience: row.experience, table, advertiserId: isOfAll ? undefined : row.advertiserId, day: row.date };
  });
  const deletions = [...new Map(days.map((deletion) => [JSON.stringify(deletion), deletion])).values()];
  life.forget(({ table, row }) =>
    deletions.some(
      ({ experience, advertiserId = row.advertiserId, day, ...of }) =>
        of.table === table && experience === row.experience && advertiserId === row.advertiserId && day === row.date,
    ),
  );
  return deletions.length === 0 ? undefined : { what: 'retract', rows: { deletions } };
}

/** Patches some columns of an advertiser, or of a campaign and its ad groups, which returns with all columns if it is no longer listed. */
function patch(life: Life): Step | undefined {
  const { random } = life;
  if (random.chance(0.2)) {
    const id = random.pick([...life.advertisers.keys()]);
    const name = life.newName();
    life.advertisers.set(id, name);
    return { what: 'patch', rows: { 'advertisers.patch': [{ id, name }] } };
  }
  const found = random.sample(life.campaignsIn('listed', 'archived'), 1);
  const columns = random.pick([['name'], ['budget', 'budgetType']]);
  const patched = found.map(([id, campaign]) => {
    if (columns.includes('name')) campaign.name = life.newName();
    else campaign.budget = 1 + random.int(90);
    for (const adGroup of campaign.adGroups.keys()) campaign.adGroups.set(adGroup, life.newName());
    const { campaigns, ad_groups: adGroups } = life.listings([[id, campaign]]);
    const isListed = campaign.state === 'listed';
    campaign.state = 'listed';
    return isListed ? [only(campaigns, columns), only(adGroups, ['name'])] : [campaigns, adGroups];
  });
  const [[campaigns = [], adGroups = []] = []] = patched;
  return patched.length === 0
    ? undefined
    : { what: 'patch', rows: { 'campaigns.patch': campaigns, 'ad_groups.patch': adGroups } };
}

const only = (rows: readonly LoadRow[], columns: readonly string[]): LoadRow[] =>
  rows.map((row) => Object.fromEntries(['id', ...columns].map((name) => [name, row[name]])));

/** Adds, replaces or removes a budget of one of two campaigns, so that their budgets have a history. */
function changeBudget(life: Life): Step | undefined {
  const { random } = life;
  const [found] = random.sample(life.campaignsIn('listed').slice(0, 2), 1);
  if (found === undefined) return undefined;
  const [campaignId, { budgets }] = found;
  const [validFrom, budget] = [random.pick(DAYS), random.int(90)];
  const isDeleted = budgets.has(validFrom) && random.chance(0.3);
  if (isDeleted) budgets.delete(validFrom);
  else budgets.set(validFrom, budget);
  const cells = isDeleted ? { deleted: true } : { budget, budgetType: 'DAILY' };
  return { what: 'budget', rows: { 'budgets.patch': [{ validFrom, campaignId, ...cells }] } };
}

function archive(life: Life): Step {
  for (const [, campaign] of life.random.sample(life.campaignsIn('listed'), 2)) campaign.state = 'archived';
  return { what: 'archive', rows: { ...life.listings() } };
}

function deleteCampaign(life: Life): Step {
  const [id, campaign] = life.random.pick(life.campaignsIn('listed', 'archived'));
  campaign.state = 'deleted';
  const adGroups = [...campaign.adGroups.keys()].map((adGroup) => ({ id: adGroup, deleted: true }));
  return { what: 'delete', rows: { 'campaigns.patch': [{ id, deleted: true }], 'ad_groups.patch': adGroups } };
}

function removeAdvertiser(life: Life): Step | undefined {
  const [advertiserId] = life.random.sample(
    ADVERTISERS.filter((id) => life.advertisers.has(id)),
    1,
  );
  if (advertiserId === undefined) return undefined;
  life.advertisers.delete(advertiserId);
  for (const [id, campaign] of life.campaigns) if (campaign.advertiserId === advertiserId) life.campaigns.delete(id);
  life.forget(({ row }) => row.advertiserId === advertiserId);
  return { what: 'cascade', rows: { 'advertisers.patch': [{ id: advertiserId, deleted: true, cascade: true }] } };
}

/** Adds a campaign with two ad groups, and its advertiser if that is not there. */
function addCampaign(life: Life): Step {
  const advertiserId = life.random.pick(ADVERTISERS);
  const isNew = !life.advertisers.has(advertiserId);
  const name = life.advertisers.get(advertiserId) ?? life.newName();
  life.advertisers.set(advertiserId, name);
  const { campaigns, ad_groups: adGroups } = life.listings([life.addCampaign(advertiserId, 2)]);
  const advertisers = { 'advertisers.patch': [{ id: advertiserId, name, accountId: 1, accountIds: [1] }] };
  return {
    what: 'add',
    rows: { ...(isNew && advertisers), 'campaigns.patch': campaigns, 'ad_groups.patch': adGroups },
  };
}
