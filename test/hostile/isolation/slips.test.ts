import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeReport } from '../../../shared/contract/report/report-text.ts';
import { PROBLEMS } from '../../../shared/lib/errors.ts';
import { reportRequest, type TestRequest, type TestResponse } from '../../http/support/gateway-event.ts';
import { LISTINGS } from '../../http/support/network.ts';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import type { Random } from '../../oracle/random/random.ts';
import { startEngine, type TestEngine } from '../../support/table.ts';
import { printFigures, randomOf, SEED, scaled } from '../support/budget.ts';

/** Of URLs, and as many of bodies. */
const SLIPS = scaled(500);

const DATES = ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04'];
const KEYWORDS = ['oats', 'granola', 'chips'];

let engine: TestEngine;
let service: TestService;
let instance: Instance;
beforeAll(async () => {
  engine = await startEngine();
  const files = {
    ...LISTINGS,
    campaigns: [...(LISTINGS.campaigns ?? []), { ...LISTINGS.campaigns?.[0], id: 62, advertiserId: 12 }],
    ad_groups: [...(LISTINGS.ad_groups ?? []), { ...LISTINGS.ad_groups?.[0], id: 712, campaignId: 62 }],
    'facts/pla/delivery': DATES.flatMap((daily_date) =>
      [701, 702, 712].flatMap((ad_group_id) =>
        KEYWORDS.map((keyword) => ({ daily_date, hour: 9, ad_group_id, keyword, impressions: 10, clicks: 1, cost: 1 })),
      ),
    ),
  };
  service = await openTestService({ engine, files });
  instance = await service.start();
});
afterAll(async () => {
  await service.close();
  await engine.stop();
});

interface Report {
  readonly experience: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly advertiserIds: readonly number[];
  readonly filters: readonly { field: string; operator: 'EQUALS' | 'IN'; values: readonly string[] }[];
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly sort: readonly { field: string; order: 'ASC' | 'DESC' }[];
}

/** @returns a report of fewer days, advertisers, campaigns and keywords than there are, so that whatever lost a part of it would have more figures */
function narrowReport(random: Random): Report {
  const [first = 0, last = 0] = [random.int(3), random.int(3)].sort();
  const keywords = random.sample(KEYWORDS, 1 + random.int(2));
  return {
    ...{ experience: 'pla', startDate: DATES[first] ?? '', endDate: DATES[last] ?? '', advertiserIds: [11] },
    filters: [
      { field: 'keyword', operator: keywords.length === 1 ? 'EQUALS' : 'IN', values: keywords },
      { field: 'ad_group_id', operator: 'EQUALS', values: ['701'] },
    ],
    metrics: ['impressions', 'clicks'],
    dimensions: ['keyword', 'ad_group_id', 'daily_date'],
    sort: [{ field: 'clicks', order: 'DESC' }],
  };
}

const partsOf = (report: Report) =>
  [...writeReport(report)].flatMap(([name, value]) => (name === 'experience' ? [] : [`${name}=${encoded(value)}`]));
const bodyOf = ({ experience, ...report }: Report) => ({ ...report, pagination: { offset: 0, size: 1_000 } });
const encoded = (text: string) => encodeURIComponent(text);

const OF_POST = ['filters', 'advertiserIds', 'startDate', 'endDate', 'dimensions', 'metrics', 'sort', 'pagination'];
const OF_OTHERS = ['limit', 'where', 'from', 'to', 'group_by', 'advertiser_id', 'account_id', 'date', 'q'];

/** @returns what a name becomes by a slip */
const misspell = (random: Random, name: string) =>
  random.pick([
    ...[name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1), `${name}s`, `${name}[]`, `${name}[0]`],
    ...[` ${name}`, `${name} `, `${name}=`, name.slice(1), name.slice(0, -1), `?${name}`, `amp;${name}`, `$${name}`],
    ...[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^([a-z]+)$/, '$1_'), `x${name}`],
    ...OF_OTHERS,
  ]);

type UrlSlip = (random: Random, parts: readonly string[]) => string;

/** What people, programs and mail clients do to a URL by mistake. Each returns the query. Values stay as they are, unless they are cut. */
const URL_SLIPS: Readonly<Record<string, UrlSlip>> = {
  'a name': (random, parts) => {
    const i = random.int(parts.length);
    return parts
      .with(
        i,
        (parts[i] ?? '').replace(/^\w+/, (name) => encoded(misspell(random, name))),
      )
      .join('&');
  },
  'the name of a POST': (random, parts) => {
    const i = random.int(parts.length);
    return parts
      .with(
        i,
        (parts[i] ?? '').replace(/^\w+/, random.pick(OF_POST.filter((name) => name !== 'metrics' && name !== 'sort'))),
      )
      .join('&');
  },
  'an addition': (random, parts) => [...parts, `${encoded(misspell(random, 'filter'))}=keyword%3Doats`].join('&'),
  separators: (random, parts) => parts.join(random.pick([';', '&amp;', ',', '%26', ' ', '&&', '?'])),
  'a cut': (random, parts) => {
    const text = parts.join('&');
    return text.slice(0, random.int(text.length));
  },
  'an encoding': (random, parts) => {
    const i = random.int(parts.length);
    const part = parts[i] ?? '';
    const forms = [encoded(part), part.replaceAll('%', '%25'), part.replace('=', '%3D'), `${part}%E9`, `%E9${part}`];
    return parts.with(i, random.pick([...forms, part.replace('=', ''), `"${part}"`, part.replace('=', ':')])).join('&');
  },
  'an empty value': (random, parts) => {
    const i = random.int(parts.length);
    return parts
      .with(i, (parts[i] ?? '').replace(/=.*/, random.pick(['=', '', '=%20', '=,', '=null', '=undefined', '=*'])))
      .join('&');
  },
  'an empty item': (random, parts) => {
    const i = random.int(parts.length);
    return parts.with(i, `${parts[i]}${random.pick([',', ',,', '%2C%20', ';', '|', '%0A'])}`).join('&');
  },
  order: (random, parts) => random.sample(parts, parts.length).join('&'),
  spaces: (_, parts) => parts.map((part) => part.replaceAll('%2C', '%2C%20')).join('&'),
  'a cache-buster': (random, parts) => [...parts, `_=${random.int(1_000)}`].join('&'),
};

type Body = ReturnType<typeof bodyOf>;

/** The same for bodies. Each returns the text. */
const BODY_SLIPS: Readonly<Record<string, (random: Random, body: Body) => string>> = {
  'a name': (random, body) => {
    const at = random.pick(Object.keys(body));
    return JSON.stringify(
      renamed(body, at, random.pick([misspell(random, at), 'by', 'start', 'end', 'filter', 'advertisers'])),
    );
  },
  'a member that is missing': (random, body) =>
    JSON.stringify({ ...body, [random.pick(Object.keys(body))]: undefined }),
  'an addition': (random, body) => JSON.stringify({ ...body, [misspell(random, 'filters')]: [] }),
  'a type': (random, body) => {
    const at = random.pick(Object.keys(body));
    const value = Object(body)[at];
    const wrong = [
      null,
      {},
      '',
      0,
      true,
      [null],
      [[]],
      [value],
      { values: value },
      String(value),
      JSON.stringify(value),
    ];
    return JSON.stringify({ ...body, [at]: random.pick(wrong) });
  },
  'a filter': (random, body) => {
    const [first, ...others] = body.filters;
    const at = random.pick(['field', 'operator', 'values']);
    const wrong = random.pick<unknown>([
      ...[renamed(first ?? {}, at, random.pick(['value', 'op', 'name', 'Field', 'VALUES'])), { ...first, [at]: null }],
      ...[
        { ...first, [at]: undefined },
        { ...first, values: [] },
        { ...first, values: 'oats' },
        { ...first, not: true },
      ],
      ...[{ ...first, operator: 'equals' }, { ...first, operator: '=' }, 'keyword=oats', null, {}, [first]],
    ]);
    return JSON.stringify({ ...body, filters: [wrong, ...others] });
  },
  'an id': (random, body) =>
    JSON.stringify({ ...body, advertiserIds: random.pick<unknown>([['11'], '11', 11, [null], [11.5], ['*'], {}]) }),
  nesting: (random, body) =>
    JSON.stringify(
      random.pick<unknown>([
        { body },
        { data: body },
        [body],
        JSON.stringify(body),
        { ...body, filters: { and: body.filters } },
      ]),
    ),
  'the text': (random, body) => {
    const text = JSON.stringify(body);
    const at = 1 + random.int(text.length - 1);
    const forms = [
      text.slice(0, at),
      `${text.slice(0, -1)},}`,
      text.replaceAll('"', "'"),
      `${text}${text}`,
      `// ${text}`,
    ];
    return random.pick([
      ...forms,
      `${text.slice(0, at)}\ufffd${text.slice(at)}`,
      text.replace(',', ''),
      text.replaceAll(':', '='),
      '',
    ]);
  },
  spaces: (_, body) => JSON.stringify(body, undefined, 2),
};

function renamed(object: object, from: string, to: string): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name === from ? to : name, value]));
}

/** @returns whether a report has figures, values or days that the intended one has not */
function isWider(found: object, intended: object): boolean {
  const [{ data, totals, meta }, expected] = [Object(found), Object(intended)];
  const isHigher = Object.entries(totals).some(([name, value]) => Number(value) > Number(expected.totals[name] ?? 0));
  const isForeign = data.some((row: object) =>
    Object.entries(row).some(
      ([name, value]) => !(name in totals) && !expected.data.some((other: object) => Object(other)[name] === value),
    ),
  );
  const { startDate, endDate } = expected.meta.period;
  return isHigher || isForeign || meta.period.startDate < startDate || meta.period.endDate > endDate;
}

const get = (query: string): Promise<TestResponse> =>
  send({ method: 'GET', headers: [], query: [...new URLSearchParams(query)] });
const post = (body: string): Promise<TestResponse> => send({ method: 'POST', body });
const send = (more: TestRequest) => instance.send('submit-report', { ...reportRequest(undefined), ...more });

test('a report without one of its filters, or with more days, would be noticed', async () => {
  const report = { ...narrowReport(randomOf(510)), startDate: DATES[1] ?? '', endDate: DATES[2] ?? '' };
  const intended = (await get(partsOf(report).join('&'))).body;
  const wider = [
    { ...report, filters: report.filters.slice(1) },
    { ...report, filters: report.filters.slice(0, 1) },
    { ...report, startDate: DATES[0] ?? '' },
    { ...report, endDate: DATES[3] ?? '', metrics: [] as string[], sort: [] },
  ];
  for (const other of wider) {
    const { status, body } = await post(JSON.stringify(bodyOf(other)));
    expect(status).toBe(200);
    expect(isWider(Object(body), Object(intended))).toBe(true);
  }
  expect(isWider(Object(intended), Object(intended))).toBe(false);
});

test.each<[string, (random: Random, report: Report, slip: string) => Promise<TestResponse>, readonly string[]]>([
  ['URLs', (random, report, slip) => get(URL_SLIPS[slip]?.(random, partsOf(report)) ?? ''), Object.keys(URL_SLIPS)],
  ['bodies', (random, report, slip) => post(BODY_SLIPS[slip]?.(random, bodyOf(report)) ?? ''), Object.keys(BODY_SLIPS)],
])(`no slip in ${SLIPS} %s widens the report`, async (kind, sendSlip, slips) => {
  const random = randomOf(kind === 'URLs' ? 511 : 512);
  const seen: Record<string, number> = {};
  const count = (name: string) => {
    seen[name] = (seen[name] ?? 0) + 1;
  };
  for (let i = 0; i < SLIPS; i++) {
    const report = narrowReport(random);
    const intended = (await get(partsOf(report).join('&'))).body;
    const slip = slips[i % slips.length] ?? '';
    const { status, body } = await sendSlip(random, report, slip);
    const where = `SEED ${SEED} ${kind} ${i}, ${slip}: ${JSON.stringify(body)}`;
    if (status !== 200) expect([where, [400, 422]]).toEqual([where, expect.arrayContaining([status])]);
    if (status !== 200) expect(Object.keys(PROBLEMS), where).toContain(Object(body).code);
    else expect(isWider(Object(body), Object(intended)), where).toBe(false);
    count(`${slip}: ${status === 200 ? 'not wider' : 'rejected'}`);
  }
  printFigures(`slips in ${kind}`, seen);
  for (const slip of slips)
    expect(
      Object.keys(seen).some((name) => name.startsWith(`${slip}:`)),
      slip,
    ).toBe(true);
});
