import { EXPERIENCES, type Experience, FACT_TABLES, TABLE_MEASURES } from '../../catalog/tables.ts';
import { SHOPPERS_COLUMN } from '../../columns/column.ts';
import { decodeDays } from '../../columns/runs.ts';
import { dayNumber } from '../../lib/calendar.ts';
import { formatAmount } from '../../lib/format-amount.ts';
import type { ChangedDay } from '../../store/changes/change-log.ts';
import { readRuns } from '../../store/facts/read-runs.ts';
import type { Table } from '../../store/table/table.ts';
import type { LoadReport } from '../check/load-report.ts';
import { marketImpressions } from '../encode/encode-day.ts';
import type { Problem } from '../schema/problems.ts';
import { type DayChange, type Figures, type StoredBefore, type WrittenDay, warnOfColumns } from './day-change.ts';
import { describeDays } from './describe-days.ts';
import type { MonthDraft } from './roll-up-month.ts';
import { COMPARED, type Compared, type UsualDay, type UsualFigure } from './usual-day.ts';

/**
 * By how many times the impressions or cost of a day may fall and grow, by experience; absent: any number. A replaced day is compared with what was stored of it,
 * a new one with the median of the advertiser's last days.
 */
export interface ChangeLimits {
  readonly maxDrop?: Readonly<Partial<Record<Experience, number>>>;
  readonly maxGrowth?: Readonly<Partial<Record<Experience, number>>>;
  /** The last final days, as day numbers; absent: not stated. */
  readonly finalThrough?: ReadonlyMap<Experience, number> | undefined;
}

const HOURS = 24;
/** Days that change by more than this factor are a warning also without a limit. */
const UNUSUAL_FACTOR = 10;
/** The impressions of a day of market. */
const MARKET_MEASURE = 'market_impressions';

/** What a load changes in the days of facts. */
export class DayChanges {
  readonly #changes: DayChange[] = [];

  /**
   * Adds the changed days of a month. Their sums are those of the rollup that the draft has read anyway. Only hours that may be missing are read, the stored
   * impressions of market, and what the advertiser's days usually have.
   */
  async add(table: Table, draft: MonthDraft, written: readonly WrittenDay[]): Promise<void> {
    for (const ofTable of Map.groupBy(written, ({ ref }) => ref.table).values()) {
      const stored = await readStored(table, ofTable);
      const usual = ofTable.some((day) => lacksFigures(day, draft)) ? await draft.usualDay(table) : {};
      for (const one of ofTable) {
        const { ref, day, before, rows, hours, valued, mayShrink, ...own } = one;
        const sums = draft.sumsOf(ref.table, day);
        const { impressions, hours: storedHours } = stored.get(day) ?? { impressions: 0, hours: [] };
        const change = {
          ...{ ...own, ref, mayShrink, sums },
          date: `${ref.month}-${String(day).padStart(2, '0')}`,
          before: {
            rows: before?.rows ?? 0,
            hours: hoursOf(before),
            impressions: impressions + (sums.before.get('impressions') ?? 0),
            cost: sums.before.get('cost') ?? 0,
          },
          after: {
            rows,
            hours: hours.length,
            impressions: own.impressions + (sums.after.get('impressions') ?? 0),
            cost: sums.after.get('cost') ?? 0,
          },
          lost: keysOf(before).filter((name) => !valued.includes(name)),
        };
        const isWhole = rows > 0 && hours.length === 0;
        const losesHours = change.before.hours > hours.length || storedHours.some((hour) => !hours.includes(hour));
        const shrinks = (losesHours && !isWhole) || change.after.impressions * 2 < change.before.impressions;
        this.#changes.push({
          ...{ ...change, usual: usualFigures(one, change.before, usual) },
          shrinks: shrinks && rows > 0 && !mayShrink,
          isDropped: rows === 0 && !mayShrink,
        });
      }
    }
  }

  /** @returns the changed days of each table by `<experience>/<table>`: those with rows after the load, and those without */
  dates(): Map<string, { readonly loaded: ReadonlySet<string>; readonly emptied: ReadonlySet<string> }> {
    const datesOf = (changes: readonly DayChange[]) => new Set(changes.map(({ date }) => date));
    const tables = [...this.#byTable()].map(([name, changes]) => {
      const loaded = datesOf(changes.filter(({ after }) => after.rows > 0));
      return [name, { loaded, emptied: datesOf(changes).difference(loaded) }] as const;
    });
    return new Map(tables);
  }

  /** @returns the changed days by advertiser, without those of market, which is not copied */
  byAdvertiser(): Map<number, ChangedDay[]> {
    const days = this.#changes.flatMap(({ ref: { advertiserId, experience, table }, date, before, after }) => {
      if (table === 'market') return [];
      const kind = after.rows === 0 ? 'emptied' : before.rows === 0 ? 'loaded' : 'restated';
      return [{ advertiserId, changed: { table: `${experience}/${table}`, kind, day: dayNumber(date) } as const }];
    });
    const byId = Map.groupBy(days, ({ advertiserId }) => advertiserId);
    return new Map([...byId].map(([id, own]) => [id, own.map(({ changed }) => changed)]));
  }

  /** @returns the sums of the changed days of each table */
  list(): LoadReport['changes'] {
    return [...this.#byTable().values()].flatMap((changes) => {
      const [first] = changes;
      if (first === undefined) return [];
      const { experience, table } = first.ref;
      const count = (is: (change: DayChange) => boolean) => changes.filter(is).length;
      const sum = (figure: keyof Figures, scale = 1) => ({
        before: changes.reduce((total, { before }) => total + before[figure], 0) / scale,
        after: changes.reduce((total, { after }) => total + after[figure], 0) / scale,
      });
      const added = count(({ before }) => before.rows === 0);
      const emptied = count(({ after }) => after.rows === 0);
      return {
        experience,
        table,
        days: { added, replaced: changes.length - added - emptied, emptied },
        rows: sum('rows'),
        ...(table === 'delivery' || table === 'market' ? { impressions: sum('impressions') } : {}),
        ...(table === 'delivery' ? { cost: sum('cost', TABLE_MEASURES.delivery.cost) } : {}),
      };
    });
  }

  /** @returns a warning for each table of which days shrink, are dropped or are unusual within the limits */
  warnings(limits: ChangeLimits): string[] {
    const unusual = this.#find(`that changed more than ${UNUSUAL_FACTOR} times`, (change) => isUnusual(change, limits));
    const dropped = this.#find('emptied for lack of rows in the folder', ({ isDropped }) => isDropped).map(
      ({ file, reason }) => `${file}: ${reason}; days in the file deletions are emptied without this warning`,
    );
    const found = this.#find('with fewer hours or less than half of the impressions', ({ shrinks }) => shrinks);
    const shrunk = found.map(({ file, reason }) => {
      return `${file}: ${reason}; --replace hours keeps hours that the folder does not have`;
    });
    const partial = this.#find('with hours that have other measures', ({ isPartial }) => isPartial);
    const some = partial.map(({ file, reason }) => `${file}: ${reason}; sums of these are those of some hours`);
    const lost = [...this.#byTable()].flatMap(([name, changes]) => warnOfColumns(name, changes));
    const final = this.#replacedFinalDays(limits).map(([name, dates]) => {
      return `facts/${name}*: changes days that were final: ${describeDays(dates).join(', ')}`;
    });
    return [
      ...dropped,
      ...final,
      ...shrunk,
      ...unusual.map(({ file, reason }) => `${file}: ${reason}`),
      ...some,
      ...lost,
    ];
  }

  /** @returns a problem for each table of which --replace hours would count rows twice, or lose those of an hour that clocks repeat */
  miscounted(): Problem[] {
    const mixed = this.#find('stored without hours', ({ isMixed }) => isMixed).map(({ file, reason }) => {
      return { file, reason: `${reason}: load whole days, without --replace hours` };
    });
    const half = this.#find('of which an hour that clocks repeat was loaded before', ({ isHalf }) => isHalf);
    const advised = half.map(({ file, reason }) => {
      return {
        file,
        reason: `${reason}: load both hours in one folder, with their offsets in hour or {"filesAddUp": true} in columns.json, or the whole day`,
      };
    });
    return [...mixed, ...advised].map((problem) => ({ ...problem, line: null, field: null }));
  }

  /** @returns a problem for each table of which days exceed the limits */
  exceeded(limits: ChangeLimits): Problem[] {
    const advice = '--accept, or "accept": true in _READY, loads them';
    const found = this.#find('beyond maxDrop or maxGrowth', (change) => exceeds(change, limits));
    return found.map(({ file, reason }) => ({ file, line: null, field: null, reason: `${reason}; ${advice}` }));
  }

  /** @returns for each table with such days their number, and the day that changes most */
  #find(kind: string, is: (change: DayChange) => boolean) {
    return [...this.#byTable()].flatMap(([name, changes]) => {
      const found = changes.filter(is);
      const [worst] = found.toSorted((a, b) => Math.abs(lossOf(b)) - Math.abs(lossOf(a)));
      if (worst === undefined) return [];
      const { ref, date, before, after, usual } = worst;
      const isMarket = ref.table === 'market';
      const days = `${isMarket ? 'market' : 'advertiser'} ${found.length === 1 ? 'day' : 'days'}`;
      const owner = isMarket ? '' : ` of advertiser ${ref.advertiserId}`;
      const earlier = before.rows === 0 ? describeUsual(usual) : describe(before);
      const reason = `${found.length.toLocaleString('en-US')} ${days} ${kind}, such as ${date}${owner}: ${earlier} before, ${describe(after)} now`;
      return [{ file: `facts/${name}*`, reason }];
    });
  }

  /** @returns the dates with rows before the load that are final, by `<experience>/<table>` */
  #replacedFinalDays({ finalThrough }: ChangeLimits): [string, string[]][] {
    return [...this.#byTable()].flatMap(([name, changes]): [string, string[]][] => {
      const isFinal = ({ ref, date, before }: DayChange) =>
        before.rows > 0 && dayNumber(date) <= (finalThrough?.get(ref.experience) ?? Number.NEGATIVE_INFINITY);
      const dates = changes.filter(isFinal).map(({ date }) => date);
      return dates.length === 0 ? [] : [[name, dates]];
    });
  }

  #byTable(): Map<string, DayChange[]> {
    const names = EXPERIENCES.flatMap((experience) => FACT_TABLES.map((table) => `${experience}/${table}`));
    const changes = Map.groupBy(this.#changes, ({ ref }) => `${ref.experience}/${ref.table}`);
    return new Map(names.flatMap((name) => (changes.has(name) ? [[name, changes.get(name) ?? []] as const] : [])));
  }
}

/** @returns the key columns with values in the run of a day, `users` among them */
function keysOf(before: StoredBefore | undefined): string[] {
  const names = [...(before?.run.columns ?? [])].flatMap(([name, { distinct }]) => {
    return distinct === 0 ? [] : [name.startsWith(SHOPPERS_COLUMN) ? SHOPPERS_COLUMN : name];
  });
  return [...new Set(names)];
}

/** @param written days of one partition. @returns by day, the stored hours where one may be missing now, and the stored impressions of market */
async function readStored(table: Table, written: readonly WrittenDay[]) {
  const found = new Map<number, { readonly hours: readonly number[]; readonly impressions: number }>();
  const [first] = written;
  if (first === undefined) return found;
  const isMarket = first.ref.table === 'market';
  const runs = written.flatMap(({ before, hours, mayShrink }) => {
    const mayMiss = !mayShrink && hours.length < HOURS && hoursOf(before) > 0 && hoursOf(before) <= hours.length;
    return before !== undefined && (isMarket || mayMiss) ? [before.run] : [];
  });
  if (runs.length === 0) return found;
  const columns = isMarket ? ['hour', MARKET_MEASURE] : ['hour'];
  const read = { ref: first.ref, runs: [...new Set(runs)].sort((a, b) => a.day - b.day), columns };
  for await (const run of readRuns(table, [read])) {
    for (const [day, facts] of decodeDays(run)) {
      const { dictionary = [], codes = [] } = facts.keys.get('hour') ?? {};
      found.set(day, {
        hours: [...new Set(codes)].flatMap((code) => dictionary[code] ?? []).map(Number),
        impressions: marketImpressions(facts),
      });
    }
  }
  return found;
}

function hoursOf(before: StoredBefore | undefined): number {
  return before?.hours ?? 0;
}

/** @returns whether there is a figure that nothing, or 0, is stored of */
function lacksFigures({ ref, day, rows }: WrittenDay, draft: MonthDraft): boolean {
  const { before } = draft.sumsOf(ref.table, day);
  return ref.table === 'delivery' && rows > 0 && COMPARED.some((figure) => (before.get(figure) ?? 0) === 0);
}

/** @returns what the figures of the day are compared with: the stored ones, or if there are none, or they are 0, those of other days */
function usualFigures(
  { before, unmeasured, mayShrink, mayGrow }: WrittenDay,
  stored: Figures,
  usual: UsualDay,
): UsualDay {
  const compared = COMPARED.map((figure): [Compared, UsualFigure | undefined] => {
    const [own, others] = [stored[figure], usual[figure]];
    if (own !== 0) return [figure, own > 0 ? { low: own, high: own } : undefined];
    if (before !== undefined) {
      const isKnown = before.run.columns.has(figure) && !mayShrink;
      return [figure, isKnown ? { low: 0, high: others?.high ?? 0 } : undefined];
    }
    if (others === undefined || unmeasured.includes(figure)) return [figure, undefined];
    return [figure, { low: mayGrow ? 0 : others.low, high: others.high }];
  });
  return Object.fromEntries(compared);
}

/** @param drop, growth undefined: any number */
function isBeyond({ after, usual, isDropped }: DayChange, drop: number | undefined, growth: number | undefined) {
  if (after.rows === 0 && !isDropped) return false;
  return COMPARED.some((figure) => {
    const { low, high } = usual[figure] ?? { low: 0, high: Number.POSITIVE_INFINITY };
    const falls = drop !== undefined && low > 0 && after[figure] * drop < low;
    return falls || (growth !== undefined && after[figure] > high * growth);
  });
}

function exceeds(change: DayChange, { maxDrop, maxGrowth }: ChangeLimits): boolean {
  const { experience } = change.ref;
  return isBeyond(change, maxDrop?.[experience], maxGrowth?.[experience]);
}

/** @returns whether the day changes by more than UNUSUAL_FACTOR, and no other warning says so */
function isUnusual(change: DayChange, limits: ChangeLimits): boolean {
  const { before, shrinks, isDropped, mayShrink, unmeasured } = change;
  const isMeant = mayShrink && before.rows > 0; // such as the next hours of a day
  if (shrinks || isDropped || isMeant || exceeds(change, limits)) return false;
  const isLost = COMPARED.some((figure) => unmeasured.includes(figure)); // warnOfLoss names it
  return isBeyond(change, isLost ? undefined : UNUSUAL_FACTOR, UNUSUAL_FACTOR);
}

/** Impressions count first, and hours where these are equal. */
function lossOf({ before, after }: DayChange): number {
  return before.impressions - after.impressions + (before.hours - after.hours) / HOURS;
}

function describe({ rows, hours, impressions, cost }: Figures): string {
  if (rows === 0) return 'no rows';
  const hoursOfDay = hours === 0 ? 'a day without hours' : `${hours} ${hours === 1 ? 'hour' : 'hours'}`;
  return describeFigures(hoursOfDay, { impressions, cost });
}

function describeUsual({ impressions, cost }: UsualDay): string {
  return describeFigures('usually days', { impressions: impressions?.high ?? 0, cost: cost?.high ?? 0 });
}

function describeFigures(days: string, { impressions, cost }: Pick<Figures, Compared>): string {
  const texts = [days];
  if (impressions > 0) texts.push(`with ${impressions.toLocaleString('en-US')} impressions`);
  if (cost !== 0) texts.push(`at a cost of ${formatAmount(cost / TABLE_MEASURES.delivery.cost)}`);
  return texts.join(' ');
}
