import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { randomFrom } from '../oracle/random/random.ts';
import { openRunEngine } from '../support/use-engine.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './support/network.ts';
import type { TestService } from './support/test-service.ts';

const [SAMPLE = {}] = PLA_DELIVERY;
const { ad_group_id } = Object(SAMPLE);
const folder = mkdtempSync(join(tmpdir(), 'endcap-fields-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ALL = {
  measures: {
    gift_cards: { table: 'delivery', unit: 'count' },
    revenue_30d: { table: 'conversions', unit: 'currency' },
  },
  ratios: { roas_30d: { of: 'revenue_30d', to: 'cost' } },
  dimensions: { fulfilment: { tables: ['delivery', 'conversions'] }, label: { of: 'campaigns' } },
} as const;
/** What a step may declare or take away; without its measure, the ratio goes, too. */
const FIELDS = ['gift_cards', 'revenue_30d', 'fulfilment', 'label'] as const;
type Field = (typeof FIELDS)[number];

function declarationsOf(names: ReadonlySet<Field>) {
  const keep = <T>(fields: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(fields).filter(([name]) => FIELDS.some((field) => field === name && names.has(field))),
    );
  const ratios = names.has('revenue_30d') ? ALL.ratios : {};
  return { measures: keep<object>(ALL.measures), ratios, dimensions: keep<object>(ALL.dimensions) };
}

const DAYS = Array.from({ length: 9 }, (_, i) => `2026-02-0${i + 1}`);
const KINDS = ['pickup', 'post'];

/** The rows of a day as they were loaded, with the columns that are known of it. */
interface Day {
  readonly rows: readonly { readonly fulfilment: string; readonly gifts: number; readonly revenue: number }[];
  readonly known: ReadonlySet<Field>;
}

/** @returns a function that opens the service of one table with declarations, which the catalogue reads when it is imported */
async function openTable() {
  const engine = await openRunEngine();
  const made = await engine.createTable();
  let users = ['ana'];
  return async (declared: object, files: Readonly<Record<string, readonly object[]>> = LISTINGS) => {
    process.env.FIELDS_FILE = join(folder, 'endcap.fields.json');
    writeFileSync(process.env.FIELDS_FILE, JSON.stringify(declared));
    vi.resetModules();
    const { openTestService } = await import('./support/test-service.ts');
    const service = await openTestService({ engine: { ...engine, createTable: async () => made }, files, users });
    users = [];
    return service;
  };
}

test.each([1, 2, 3])(
  'fields are declared, changed and taken away over a life of 60 loads: network %i',
  async (seed) => {
    const random = randomFrom(seed);
    const open = await openTable();
    let declared = new Set<Field>(FIELDS.filter(() => random.chance(0.7)).concat('label'));
    let service = await open(declarationsOf(declared));
    const days = new Map<string, Day>();
    let label: string | null = null;
    let recorded = new Set<Field>(['label']); // listings were loaded
    for (let step = 0; step < 60; step++) {
      if (random.chance(0.35)) {
        const field = random.pick(FIELDS);
        declared = new Set(FIELDS.filter((name) => declared.has(name) !== (name === field)));
        await service.close();
        service = await open(declarationsOf(declared), {});
      }
      const first = random.int(DAYS.length);
      const loaded = DAYS.slice(first, first + 1 + random.int(3));
      const has = new Set(FIELDS.filter(() => random.chance(0.7)));
      const made = loaded.map((date) => {
        const rows = KINDS.map((fulfilment) => ({
          fulfilment,
          gifts: 1 + random.int(9),
          revenue: 1 + random.int(99),
        }));
        return [date, { rows, known: has.intersection(declared) }] as const;
      });
      const delivery = made.flatMap(([daily_date, { rows }]) =>
        rows.map(({ fulfilment, gifts }) => ({
          ...{ daily_date, hour: 1, ad_group_id, impressions: 10, cost: '2' },
          ...(has.has('gift_cards') && { gift_cards: gifts }),
          ...(has.has('fulfilment') && { fulfilment }),
        })),
      );
      const conversions = made.flatMap(([daily_date, { rows }]) =>
        rows.map(({ fulfilment, revenue }) => ({
          ...{ daily_date, hour: 1, ad_group_id, halo_transactions: 1 },
          ...(has.has('revenue_30d') && { revenue_30d: revenue }),
          ...(has.has('fulfilment') && { fulfilment }),
        })),
      );
      const facts = { 'facts/pla/delivery': delivery, 'facts/pla/conversions': conversions };
      const campaigns = (LISTINGS.campaigns ?? []).map((row) => ({
        ...row,
        ...(has.has('label') && { label: `of ${step}` }),
      }));
      const isPatch = random.chance(0.3); // it does not mention labels
      const patch = campaigns.slice(0, 1).map((row) => ({ id: Object(row).id, name: `name of ${step}` }));
      const listing = isPatch ? { 'campaigns.patch': patch } : { campaigns };
      const failure = await service.load({ ...facts, ...listing }).catch((error: unknown) => String(error));
      const given = isPatch ? has.difference(new Set(['label'])) : has;
      const unknown = given.difference(declared).difference(recorded);
      expect({ step, failure }).toEqual({
        step,
        failure: unknown.size === 0 ? undefined : expect.stringContaining('is not a column of this file'),
      });
      if (failure === undefined) {
        for (const [date, day] of made) days.set(date, day);
        if (!isPatch) label = has.has('label') && declared.has('label') ? `of ${step}` : null;
        recorded = recorded.union(given.intersection(declared));
      }
      await compare(service, days, declared, label);
    }
    await service.close();
    delete process.env.FIELDS_FILE;
  },
);

async function compare(
  service: TestService,
  days: ReadonlyMap<string, Day>,
  declared: ReadonlySet<Field>,
  label: string | null,
): Promise<void> {
  const instance = await service.start();
  const metrics = ['impressions', ...FIELDS.slice(0, 2).filter((name) => declared.has(name))];
  if (declared.has('revenue_30d')) metrics.push('roas_30d');
  const ask = async (dimensions: readonly string[]) => {
    const body = {
      ...{ startDate: DAYS[0], endDate: DAYS.at(-1), advertiserIds: [], metrics, dimensions, filters: [] },
      ...{ sort: dimensions.map((field) => ({ field, order: 'ASC' })), pagination: { offset: 0, size: 100 } },
    };
    const { status, body: found } = await instance.send('submit-report', reportRequest(JSON.stringify(body)));
    expect({ status, found: status === 200 ? undefined : found }).toEqual({ status: 200, found: undefined });
    return Object(found).data;
  };
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const sum = (rows: Day['rows'], name: 'gifts' | 'revenue') => rows.reduce((total, row) => total + row[name], 0);
  const figures = ({ rows, known }: Day) => ({
    ...(declared.has('gift_cards') && { gift_cards: known.has('gift_cards') ? sum(rows, 'gifts') : null }),
    ...(declared.has('revenue_30d') && {
      revenue_30d: known.has('revenue_30d') ? sum(rows, 'revenue') : null,
      roas_30d: known.has('revenue_30d') ? sum(rows, 'revenue') / (2 * rows.length) : null,
    }),
  });
  const labels = declared.has('label') ? { label } : {};
  expect(await ask(['daily_date', ...keysIn(labels)])).toEqual(
    sorted.map(([daily_date, day]) => ({ daily_date, ...labels, impressions: 10 * day.rows.length, ...figures(day) })),
  );
  if (!declared.has('fulfilment')) return;
  const known = sorted.filter(([, day]) => day.known.has('fulfilment'));
  const rows = await ask(['daily_date', 'fulfilment']);
  expect(rows.filter(({ fulfilment }: { readonly fulfilment: string | null }) => fulfilment !== null)).toEqual(
    known.flatMap(([daily_date, day]) =>
      day.rows.map((row) => ({
        ...{ daily_date, fulfilment: row.fulfilment, impressions: 10 },
        ...figures({ ...day, rows: [row] }),
      })),
    ),
  );
}

test('a column is not loaded as something else than before, and unknown where it is declared so', async () => {
  const open = await openTable();
  const day = { daily_date: '2026-02-01', hour: 1, ad_group_id, impressions: 10, cost: '2', spent: 7 };
  const declare = (table: string, unit: string) => ({ measures: { spent: { table, unit } } });
  const files = { ...LISTINGS, 'facts/pla/delivery': [day] };
  await (await open(declare('delivery', 'count'), files)).close();
  for (const [table, unit] of [
    ['delivery', 'currency'],
    ['conversions', 'count'],
  ] as const) {
    const declared = declare(table, unit);
    await expect(open(declared)).rejects.toThrow(
      `the column spent was loaded as count of delivery, and is declared in ${process.env.FIELDS_FILE} as ${unit} of ${table}`,
    );
    const service = await open(declared, {});
    const instance = await service.start();
    const body = {
      ...{ startDate: '2026-02-01', endDate: '2026-02-01', advertiserIds: [], metrics: ['impressions', 'spent'] },
      ...{ dimensions: [], filters: [], sort: [], pagination: { offset: 0, size: 1 } },
    };
    const { body: found } = await instance.send('submit-report', reportRequest(JSON.stringify(body)));
    expect(found).toMatchObject({ totals: { impressions: 10, spent: null } });
    expect(Object(found).meta.warnings).toContainEqual(
      expect.objectContaining({ code: 'NOT_MEASURED', fields: ['daily_date', 'spent'] }),
    );
    await service.close();
  }
  await expect(open({ dimensions: { spent: { tables: ['delivery'] } } })).rejects.toThrow('as key of delivery');
});

const keysIn = (object: object): string[] => Object.keys(object);
