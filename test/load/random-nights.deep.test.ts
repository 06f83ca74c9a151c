import { expect, test } from 'vitest';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { type Random, randomFrom } from '../oracle/random/random.ts';
import { useEngine } from '../support/use-engine.ts';
import { loadRows, tableWith } from './support/load-rows.ts';
import { NETWORK } from './support/network-rows.ts';

/** In all; NIGHTS=500 takes some minutes. Every LIFE of them is a table of its own. */
const NIGHTS = Number(process.env.NIGHTS ?? 50);
const LIFE = 25;
const FACTOR = 20;
const LIMITS = { maxDrop: { pla: FACTOR }, maxGrowth: { pla: FACTOR } };
const ADVERTISERS = [10, 11] as const;
const HOURS = [3, 9, 15, 21];
const FIGURES = ['impressions', 'cents'] as const;

interface Cell {
  readonly impressions: number;
  readonly cents: number;
}
/** By hour. */
type Day = ReadonlyMap<number, Cell>;
/** By `<advertiser> <date>`; no day is empty. */
type Days = ReadonlyMap<string, Day>;
type Counts = Record<'beyond' | 'emptied' | 'shrunk' | 'unusual', number>;

interface Night {
  readonly folder: Days;
  readonly mode: 'advertiser-days' | 'days' | 'hours' | `${string}..${string}`;
  /** As the keys of `folder`. */
  readonly deletions: ReadonlySet<string>;
  readonly hasLimits: boolean;
  readonly today: string;
}

const dateOf = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10);
const numberOf = (date: string) => Date.parse(date) / 86_400_000;
const [keyOf, partsOf] = [
  (advertiser: number, date: string) => `${advertiser} ${date}`,
  (key: string) => [key.slice(0, 2), key.slice(3)] as const,
];
const sumOf = (day: Day | undefined, figure: keyof Cell) =>
  [...(day?.values() ?? [])].reduce((sum, cell) => sum + cell[figure], 0);

/** @returns the days after the night, if it is loaded */
function apply(stored: Days, { folder, mode, deletions }: Night): Days {
  const dates = new Set([...folder.keys()].map((key) => partsOf(key)[1]));
  const [first = '', last = ''] = mode.split('..');
  const isReplaced = (date: string) =>
    mode === 'days' ? dates.has(date) : last !== '' && first <= date && date <= last;
  const kept = [...stored].filter(([key]) => !deletions.has(key) && !isReplaced(partsOf(key)[1]));
  const after = new Map(kept);
  for (const [key, day] of folder)
    after.set(key, mode === 'hours' ? new Map([...(after.get(key) ?? []), ...day]) : day);
  return after;
}

/** @returns the median of the last 28 stored days of the month and of the nearest one, or what growth is compared with */
function usualOf(stored: Days, key: string, figure: keyof Cell) {
  const [advertiser, date] = partsOf(key);
  const dates = [...stored.keys()]
    .map(partsOf)
    .flatMap(([owner, own]) => (owner === advertiser ? [own] : []))
    .sort();
  const month = date.slice(0, 7);
  const others = dates.map((own) => own.slice(0, 7)).filter((own) => own !== month);
  const nearest = others.findLast((own) => own < month) ?? others[0];
  const compared = dates.filter((own) => [month, nearest].includes(own.slice(0, 7))).slice(-28);
  if (compared.length < 7) return undefined;
  const sums = compared.map((own) => sumOf(stored.get(`${advertiser} ${own}`), figure)).sort((a, b) => a - b);
  const half = sums.length / 2;
  const median = Number.isInteger(half) ? ((sums[half - 1] ?? 0) + (sums[half] ?? 0)) / 2 : (sums[half - 0.5] ?? 0);
  return { median, most: median > 0 ? median : Math.max(0, ...sums) };
}

/** @returns what must be said of the night */
function judge(stored: Days, night: Night): Counts {
  const after = apply(stored, night);
  const counts: Counts = { beyond: 0, emptied: 0, shrunk: 0, unusual: 0 };
  for (const key of new Set([...stored.keys(), ...after.keys()])) {
    const [old, now] = [stored.get(key), after.get(key)];
    if (JSON.stringify([...(old ?? [])].sort(byHour)) === JSON.stringify([...(now ?? [])].sort(byHour))) continue;
    const isMeant = night.mode === 'hours' || night.deletions.has(key);
    if (now === undefined && isMeant) continue;
    const changes = (drop: number | undefined, growth: number) =>
      FIGURES.some((figure) => {
        const [before, value] = [sumOf(old, figure), sumOf(now, figure)];
        const usual = usualOf(stored, key, figure);
        if (before < 0) return false;
        const falls = (usually: number) => drop !== undefined && value * drop < usually;
        if (before > 0) return falls(before) || value > before * growth;
        if (old !== undefined) return !isMeant && value > (usual?.most ?? 0) * growth;
        if (usual === undefined) return false;
        const isWhole = night.mode !== 'hours' && partsOf(key)[1] < night.today;
        return (isWhole && usual.median > 0 && falls(usual.median)) || value > usual.most * growth;
      });
    const isBeyond = night.hasLimits && changes(FACTOR, FACTOR);
    const losesHours = [...(old?.keys() ?? [])].some((hour) => now?.has(hour) !== true);
    const shrinks = !isMeant && (losesHours || sumOf(now, 'impressions') * 2 < sumOf(old, 'impressions'));
    if (isBeyond) counts.beyond++;
    if (now === undefined) counts.emptied++;
    else if (shrinks) counts.shrunk++;
    else if (!isBeyond && !(isMeant && old !== undefined) && changes(10, 10)) counts.unusual++;
  }
  return counts;
}

const between = (random: Random, least: number, most: number) => least + random.int(most - least + 1);
const byHour = ([a]: readonly [number, Cell], [b]: readonly [number, Cell]) => a - b;

/** @returns the figures of a day, about what the advertiser usually has, times the factors */
function randomDay(random: Random, advertiser: number, hours = HOURS, scale = 1, costScale = scale): Day {
  return new Map(
    hours.map((hour) => {
      const impressions = Math.round(between(random, 50, 150) * advertiser * scale);
      return [hour, { impressions, cents: advertiser === 11 ? 0 : Math.round(between(random, 100, 300) * costScale) }];
    }),
  );
}

function randomNight(random: Random, stored: Days): Night {
  const latest = Math.max(...[...stored.keys()].map((key) => numberOf(partsOf(key)[1])));
  const next = latest + between(random, 1, 2);
  const first = next - between(random, 0, 4);
  const dates = Array.from({ length: next - first + 1 }, (_, at) => dateOf(first + at));
  const folder = new Map<string, Day>();
  for (const advertiser of ADVERTISERS)
    for (const date of dates) folder.set(keyOf(advertiser, date), randomDay(random, advertiser));
  const spoilt = random.pick([...folder.keys()]);
  const advertiser = Number(partsOf(spoilt)[0]);
  const scale = random.pick([0.05, 0.09, 12, 50, 1_000_000]);
  const kind = random.pick([
    'usual',
    'lacks',
    'lacks',
    'credit',
    'scale',
    'cost',
    'unpriced',
    'hours',
    'hours',
  ] as const);
  if (kind === 'lacks') folder.delete(spoilt);
  if (kind === 'credit') folder.set(spoilt, new Map([[9, { impressions: 0, cents: -between(random, 1, 900) }]]));
  if (kind === 'scale') folder.set(spoilt, randomDay(random, advertiser, HOURS, scale));
  if (kind === 'cost') folder.set(spoilt, new Map([[9, { impressions: advertiser * 400, cents: 800 * scale }]]));
  if (kind === 'unpriced') folder.set(spoilt, randomDay(random, advertiser, HOURS, 1, 0));
  if (kind === 'hours') folder.set(spoilt, randomDay(random, advertiser, HOURS.slice(between(random, 1, 3))));
  const period = `${dateOf(first - between(random, 0, 2))}..${dateOf(next)}` as const;
  const named = [...folder.keys(), ...stored.keys()].filter(() => random.chance(0.01));
  return {
    folder,
    mode: random.pick(['advertiser-days', 'days', 'hours', period, period]),
    deletions: new Set([...named, ...(random.chance(0.3) ? [spoilt] : [])]),
    hasLimits: random.chance(0.5),
    today: dateOf(next + between(random, 0, 1)),
  };
}

const AD_GROUPS = new Map([
  ['10', 1000],
  ['11', 1100],
]);

function folderOfNight({ folder, deletions }: Pick<Night, 'folder' | 'deletions'>) {
  return {
    'facts/pla/delivery': [...folder].flatMap(([key, day]) => {
      const [advertiser, date] = partsOf(key);
      return [...day].map(([hour, { impressions, cents }]) => ({
        ...{ daily_date: date, hour, ad_group_id: AD_GROUPS.get(advertiser) ?? 0 },
        ...{ impressions, cost: (cents / 100).toFixed(2) },
      }));
    }),
    ...(deletions.size > 0 && {
      deletions: [...deletions].map((key) => {
        const [advertiserId, day] = partsOf(key);
        return { experience: 'pla', table: 'delivery', advertiserId, day };
      }),
    }),
  };
}

const KINDS = {
  beyond: 'beyond maxDrop or maxGrowth',
  emptied: 'emptied for lack of rows',
  shrunk: 'with fewer hours or less than half',
  unusual: 'that changed more than 10 times',
};

function countIn(texts: readonly string[], kind: string): number {
  const found = texts
    .map((text) => /: ([\d,]+) advertiser days? (.*)/.exec(text))
    .find((match) => match?.[2]?.startsWith(kind));
  return Number(found?.[1] ?? 0);
}

const engine = useEngine();
const seen: Counts & { loaded: number } = { beyond: 0, emptied: 0, shrunk: 0, unusual: 0, loaded: 0 };

test.each(Array.from({ length: Math.ceil(NIGHTS / LIFE) }, (_, life) => life + 1))(
  'nights of life %i',
  async (life) => {
    const random = randomFrom(life);
    let stored: Days = new Map(
      ADVERTISERS.flatMap((advertiser) =>
        Array.from({ length: between(random, 3, 40) }, (_, at) => {
          return [keyOf(advertiser, dateOf(numberOf('2026-03-10') - at)), randomDay(random, advertiser)] as const;
        }),
      ),
    );
    const table = await tableWith(engine, { ...NETWORK, ...folderOfNight({ folder: stored, deletions: new Set() }) });
    for (let number = 1; number <= LIFE; number++) {
      const night = randomNight(random, stored);
      const expected = judge(stored, night);
      const { outcome, problems, warnings } = await loadRows(folderOfNight(night), table, {
        ...{ replace: night.mode, clock: () => Date.parse(`${night.today}T12:00Z`) },
        ...(night.hasLimits ? LIMITS : {}),
      });
      const isRejected = expected.beyond > 0;
      const texts = isRejected ? problems.map(formatProblem) : warnings;
      const said = Object.entries(KINDS).map(([kind, text]) => [kind, countIn(texts, text)]);
      const must = isRejected ? { beyond: expected.beyond, emptied: 0, shrunk: 0, unusual: 0 } : expected;
      const where = `life ${life}, night ${number}: ${night.mode} ${[...night.folder.keys()].join(', ')}\n${texts.join('\n')}`;
      expect({ outcome, ...Object.fromEntries(said) }, where).toEqual({
        outcome: isRejected ? 'rejected' : outcome === 'unchanged' ? outcome : 'loaded',
        ...must,
      });
      for (const kind of ['beyond', 'emptied', 'shrunk', 'unusual'] as const) seen[kind] += Math.min(1, must[kind]);
      if (isRejected) continue;
      seen.loaded++;
      stored = apply(stored, night);
    }
    const dates = [...stored.keys()].map((key) => partsOf(key)[1]).sort();
    const whole = folderOfNight({ folder: stored, deletions: new Set() });
    const again = await loadRows(whole, table, { replace: `${dates[0]}..${dates.at(-1)}` as const });
    expect(again).toMatchObject({ outcome: 'unchanged', changes: [] });
  },
);

test('among the nights are some of each kind', () => {
  expect(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  ).toBe(true);
});
