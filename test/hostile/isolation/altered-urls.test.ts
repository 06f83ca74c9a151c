import { afterAll, beforeAll, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { writeReport } from '../../../shared/contract/report/report-text.ts';
import { PROBLEMS } from '../../../shared/lib/errors.ts';
import type { Random } from '../../oracle/random/random.ts';
import { startEngine, type TestEngine } from '../../support/table.ts';
import { stopClock } from '../../support/test-clock.ts';
import { printFigures, randomOf, SEED, scaled } from '../support/budget.ts';
import { type OperationRequest, type RequestPool, randomReport } from '../support/random-request.ts';
import { changeForeign, firstDifference, openServices, poolOf } from './isolated-services.ts';
import { DATES, randomNetwork } from './network.ts';

const URLS = scaled(500);
const EXPERIENCES = ['pla', 'toa', 'carousel', 'all'];
const PARAMETERS = ['by', 'metrics', 'start', 'end', 'filter', 'sort', 'compare', 'advertisers', 'offset', 'size'];
/** As URLs, or as bodies. */
const FORMS = ['URL', 'body'] as const;

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** What an alteration is made of: ids and texts that the key may not see are among them. */
interface Guesses extends Required<Pick<RequestPool, 'ids' | 'texts' | 'idsOf'>> {
  readonly keys: readonly string[];
}

/** A parameter of a query, encoded: `by=keyword`. */
type Part = string;

const at = (random: Random, parts: readonly Part[]) => random.int(parts.length);
const nameOf = (part: Part) => part.slice(0, part.indexOf('='));
const textOf = (part: Part) => part.slice(part.indexOf('=') + 1);
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
const filterOf = (field: string, value: unknown) => `filter=${encoded(`${field}=${value}`)}`;

/** What people, sheets and programs do to a URL, or what an attacker may try. Each returns the parts that the URL then has. */
const ALTERATIONS: Readonly<Record<string, (random: Random, parts: readonly Part[], guesses: Guesses) => Part[]>> = {
  name: (random, parts) => {
    const i = at(random, parts);
    const name = nameOf(parts[i] ?? '');
    const names = [
      name.toUpperCase(),
      `${name}s`,
      `${name}[]`,
      name.slice(1),
      '',
      '__proto__',
      random.pick(PARAMETERS),
    ];
    return parts.with(i, `${random.pick(names)}=${textOf(parts[i] ?? '')}`);
  },
  value: (random, parts, { texts, ids }) => {
    const i = at(random, parts);
    const value = textOf(parts[i] ?? '');
    const cut = random.int(value.length + 1);
    const sign = random.pick([
      ',',
      '"',
      '=',
      '..',
      '~',
      '!',
      ' ',
      '%',
      '-',
      '*',
      '\u0000',
      '\ufffd',
      '999999999999999999',
    ]);
    const values = [value.slice(0, cut), `${value.slice(0, cut)}${encoded(sign)}${value.slice(cut)}`];
    const others = [encoded(random.pick(texts)), `${value},${random.pick(ids)}`];
    return parts.with(i, `${nameOf(parts[i] ?? '')}=${random.pick([...values, ...others])}`);
  },
  order: (random, parts) => random.sample(parts, parts.length),
  repetition: (random, parts, { ids }) => {
    const part = random.pick(parts);
    return [...parts, random.pick([part, `${nameOf(part)}=`, `${nameOf(part)}=${random.pick(ids)}`])];
  },
  encoding: (random, parts) => {
    const i = at(random, parts);
    const part = parts[i] ?? '';
    const forms = [encoded(part), part.replaceAll('%', '%25'), part.toLowerCase(), `${part}%`, `${part}%zz`];
    const more = [`${part}%C0%AF`, `${part}%ED%A0%80`, part.replace('=', '%3D'), part.replace('=', '==')];
    return parts.with(i, random.pick([...forms, ...more, `${part};offset=1`, [...part].map(percent).join('')]));
  },
  advertisers: (random, parts, { idsOf }) => [
    ...parts,
    `advertisers=${random.sample(idsOf.advertiser_id ?? [], 1 + random.int(3))}`,
  ],
  'ids in filters': (random, parts, { idsOf }) => {
    const field = random.pick(['advertiser_id', 'campaign_id', 'ad_group_id']);
    return [...parts, filterOf(field, random.sample(idsOf[field] ?? [], 1 + random.int(3)))];
  },
  'names in filters': (random, parts, { texts }) => {
    const field = random.pick([
      'advertiser_name',
      'campaign_name',
      'ad_group_name',
      'accounts',
      'entity_name',
      'keyword',
    ]);
    return [...parts, filterOf(field, `"${random.pick(texts).replaceAll('"', '""')}"`)];
  },
  account: (random, parts, { idsOf }) => {
    const id = random.pick(idsOf.account_id ?? []);
    return [
      ...parts,
      random.pick([
        `account=${id}`,
        `account_id=${id}`,
        `accountIds=${id}`,
        `_account=${id}`,
        '_accounts=*',
        '_user=operator',
      ]),
    ];
  },
  key: (random, parts, { keys }) => [
    ...parts,
    `${random.pick(['subscription-key', 'key', '_key', '_Subscription-Key'])}=${random.pick(keys)}`,
  ],
  page: (random, parts) => {
    const odd = [
      '0',
      '0',
      '1',
      '1',
      '3',
      '3',
      '20',
      '1000',
      '-1',
      '1e3',
      '9007199254740993',
      '',
      ' 1',
      '1,2',
      'null',
      '100000',
    ];
    return [
      ...parts,
      `offset=${encoded(random.pick(odd))}`,
      `size=${encoded(random.pick(odd))}`,
      random.pick(['next=20', '_next=20']),
    ];
  },
  format: (random, parts) => [
    ...parts,
    `format=${random.pick(['json', 'json', 'csv', 'arrow', 'spreadsheet', 'CSV', 'xml', ''])}`,
    ...random.sample(['comments=on', 'comments=off', '_=1', '_cb'], random.int(3)),
  ],
};

type Body = ReturnType<typeof randomReport>;

/** The same for the members of a body. */
const BODY_ALTERATIONS: Readonly<Record<string, (random: Random, body: Body, guesses: Guesses) => object>> = {
  member: (random, body, { ids, texts }) => {
    const name = random.pick(Object.keys(body));
    const values = [undefined, null, [], {}, '', 0, [null], random.pick(ids), [random.pick(ids)], random.pick(texts)];
    return { ...body, [name]: random.pick<unknown>(values) };
  },
  addition: (random, body, { ids, texts, idsOf }) => ({
    ...body,
    [random.pick(['account_id', 'accountIds', 'userId', 'scope', 'by', '__proto__', random.pick(texts)])]:
      random.pick<unknown>([random.pick(ids), idsOf.account_id, '*', true]),
  }),
  'ids of advertisers': (random, body, { idsOf }) => ({
    ...body,
    advertiserIds: random.sample(idsOf.advertiser_id ?? [], random.int(4)),
  }),
  'filters by ids': (random, body, { idsOf }) => {
    const field = random.pick(['advertiser_id', 'campaign_id', 'ad_group_id']);
    const values = random.sample(idsOf[field] ?? [], 1 + random.int(3)).map(String);
    return { ...body, filters: [{ field, operator: random.pick(['IN', 'NOT_IN', 'CONTAINS']), values }] };
  },
  'filters by names': (random, body, { texts }) => {
    const field = random.pick(['advertiser_name', 'campaign_name', 'accounts', 'entity_name', 'keyword']);
    return {
      ...body,
      filters: [{ field, operator: random.pick(['IN', 'NOT_IN', 'LIKE']), values: [random.pick(texts)] }],
    };
  },
  'a page': (random, body) => ({
    ...body,
    pagination: {
      offset: random.pick<unknown>([0, 1, -1, 1e300, '0', null]),
      size: random.pick<unknown>([1, 20, 10_001, null]),
    },
  }),
};

const percent = (character: string) => (character === '=' ? '=' : encoded(character).replace(/^[\w-]$/, hex));
const hex = (character: string) => `%${character.charCodeAt(0).toString(16)}`;

test.each(FORMS)(
  `a limited key gets its own rows or a documented problem for ${URLS} altered reports, each as a %s`,
  async (form) => {
    const random = randomOf(form === 'URL' ? 500 : 501);
    const alterations = form === 'URL' ? ALTERATIONS : BODY_ALTERATIONS;
    const network = randomNetwork(random);
    const user = network.users.find(({ accountIds }) => accountIds.length > 2);
    if (user === undefined) throw new Error('no user has accounts that its key may lack');
    const observer = { userId: user.userId, accountIds: user.accountIds.slice(0, 2) };
    const others = network.users.map(({ userId }) => userId).filter((userId) => userId !== user.userId);
    const changed = changeForeign(random, network, observer);
    // with a limited key, the share of voice depends on the user's other advertisers, too, because these are not rivals
    const metrics = METRIC_NAMES.filter((name) => name !== 'share_of_voice');
    const pool = { ...poolOf(observer, network, changed), metrics };
    const { ids, texts, idsOf = {} } = pool;
    const guesses = { ids, texts, idsOf, keys: [...others, user.userId].map((userId) => `key-${userId}`) };
    const own = network.advertisers.filter(({ accountIds }) =>
      accountIds.some((id) => observer.accountIds.includes(id)),
    );
    const ownIds: Readonly<Record<string, readonly unknown[]>> = {
      advertiser_id: own.map(({ row }) => row.id),
      campaign_id: own.flatMap(({ files }) => (files.campaigns ?? []).map(({ id }) => id)),
      ad_group_id: own.flatMap(({ files }) => (files.ad_groups ?? []).map(({ id }) => id)),
    };
    const seen = { urls: 0, rows: 0, 'with rows': 0, 'rows with ids': 0 };
    const codes = new Map<string, number>();
    const altered = new Map<string, number>();
    const [first, second] = await openServices(engine, [network, changed], observer);
    if (first === undefined || second === undefined) throw new Error('two services were not opened');
    const clock = stopClock();
    try {
      await Promise.all([first.restart(), second.restart()]);
      for (; seen.urls < URLS; seen.urls++) {
        const names = random.sample(Object.keys(alterations), form === 'URL' ? random.pick([1, 1, 1, 1, 2, 3]) : 1);
        const request = (form === 'URL' ? alteredUrl : alteredBody)(random, pool, guesses, names);
        if (random.chance(0.2)) await first.sendAs(random.pick(others), request); // whatever it leaves behind would be seen
        clock.set(seen.urls * 1_000);
        const expected = await first.observe(request, undefined);
        clock.set(seen.urls * 1_000);
        const observed = { ...(await second.observe(request, undefined)), charge: expected.charge };
        const where = `SEED ${SEED} URL ${seen.urls} ${JSON.stringify(request)}`;
        expect(firstDifference(observed, expected), where).toBe('');
        const { status, code, body } = expected;
        for (const name of names) altered.set(name, (altered.get(name) ?? 0) + 1);
        codes.set(String(code), (codes.get(String(code)) ?? 0) + 1);
        if (status !== 200) {
          expect(Object.entries(PROBLEMS).find(([name]) => name === code)?.[1].status, where).toBe(status);
          expect(status, where).toBeLessThan(500);
          continue;
        }
        const { data = [] } = String(body).startsWith('{') ? JSON.parse(String(body)) : {};
        seen['with rows'] += data.length > 0 ? 1 : 0;
        seen.rows += data.length;
        for (const row of data) {
          const found = Object.entries(ownIds).filter(([name]) => (row[name] ?? null) !== null);
          for (const [name, known] of found) expect(known, where).toContain(row[name]);
          seen['rows with ids'] += found.length > 0 ? 1 : 0;
        }
      }
    } finally {
      clock.release();
      await second.close();
      await first.close();
    }
    printFigures(`altered reports as a ${form}`, {
      ...seen,
      ...Object.fromEntries(altered),
      ...Object.fromEntries(codes),
    });
    expect(seen.urls).toBe(URLS);
    expect([...altered.keys()].sort()).toEqual(Object.keys(alterations).sort());
    expect(seen['with rows']).toBeGreaterThan(URLS / 10);
    expect(seen['rows with ids']).toBeGreaterThan(URLS);
  },
);

/** @returns mostly a report of all days, in which rows have ids */
function anyReport(random: Random, pool: RequestPool): Body {
  const report = randomReport(random, pool);
  if (random.chance(0.15)) return report;
  const { compare: _, ...plain } = report;
  const period = { startDate: DATES[0] ?? '', endDate: DATES.at(-1) ?? '' };
  const ids = random.sample(['campaign_id', 'ad_group_id', 'daily_date', 'keyword'] as const, 2);
  const metrics = random.sample(pool.metrics ?? METRIC_NAMES, 2).filter((name) => name !== 'impressions');
  return {
    ...{ ...plain, ...period, advertiserIds: [], filters: [], sort: [] },
    ...{ dimensions: ['advertiser_id', ...ids], metrics: ['impressions', ...metrics] },
  };
}

/** @returns a request for a report, whose body is altered */
function alteredBody(random: Random, pool: RequestPool, guesses: Guesses, names: readonly string[]): OperationRequest {
  const body = BODY_ALTERATIONS[names[0] ?? '']?.(random, anyReport(random, pool), guesses) ?? {};
  const accept = random.pick(['application/json', 'application/json', 'text/csv']);
  const pathParameters = { experience_name: random.pick(EXPERIENCES) };
  return { method: 'POST', path: '/report/{experience_name}', pathParameters, query: [], body, accept };
}

/** @returns a request for a random report, whose query is altered and then decoded as the gateway decodes it */
function alteredUrl(random: Random, pool: RequestPool, guesses: Guesses, names: readonly string[]): OperationRequest {
  const report = anyReport(random, pool);
  const query = [...writeReport({ ...report, experience: '' })].filter(([name]) => name !== 'experience');
  let parts = query.map(([name, value]) => `${name}=${encoded(value)}`);
  for (const name of names) parts = ALTERATIONS[name]?.(random, parts, guesses) ?? parts;
  return {
    method: 'GET',
    path: '/report/{experience_name}',
    pathParameters: { experience_name: random.pick(EXPERIENCES) },
    query: [...new URLSearchParams(parts.join('&'))],
    accept: random.pick(['application/json', '*/*', 'text/html,*/*;q=0.8', 'text/csv']),
  };
}
