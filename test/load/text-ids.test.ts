import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { LISTING_FILES } from '../../shared/load/schema/file-columns.ts';
import { formatProblem, isUnknownId } from '../../shared/load/schema/problems.ts';
import { integerOf, TextIds } from '../../shared/load/schema/text-ids.ts';
import { Invalid } from '../../shared/load/schema/value-types.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf, type TestFolder } from './support/folder.ts';
import { loadFileColumns } from './support/load-file-columns.ts';
import { loadRows, outcomeOf, tableWith } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';

const engine = useEngine();
const ROWS: FolderRows = { ...NETWORK, ...FACTS };

/** @returns the rows with another id of each listing for each id, in the listing and wherever it is referred to */
function withIds(rows: FolderRows, idOf: (text: string) => string | number): FolderRows {
  return Object.fromEntries(
    Object.entries(rows).map(([file, list]) => {
      const [name = ''] = file.split('.');
      const ids = loadFileColumns(name).flatMap(({ name: column, refers }) => {
        const listing = LISTING_FILES.find((file) => file === (column === 'id' ? name : refers));
        return listing === undefined || listing === 'creatives' ? [] : [{ column, listing }];
      });
      const renumber = (row: LoadRow): LoadRow => {
        const cells = ids.flatMap(({ column, listing }) => {
          const rename = (id: unknown) => idOf(`${listing}_${String(id).padStart(8, '0')}-ä`);
          const cell = row[column];
          if (cell === undefined || cell === '') return [];
          return [[column, Array.isArray(cell) ? cell.map(rename) : rename(cell)] as const];
        });
        return { ...row, ...Object.fromEntries(cells) };
      };
      return [file, list.map(renumber)];
    }),
  );
}

const TEXTS = withIds(ROWS, (text) => text);

/** The rows with the integers of the texts, and the texts as short ids. */
const INTEGERS: FolderRows = Object.fromEntries(
  Object.entries(withIds(ROWS, integerOf)).map(([name, rows]) => {
    if (name !== 'campaigns' && name !== 'ad_groups') return [name, rows];
    return [name, rows.map((row, at) => ({ ...row, shortId: row.shortId || TEXTS[name]?.[at]?.id }))];
  }),
);

/** @returns all items of a table into which the folder is loaded, but that of the audit, which has the folder's name, and rows as files have them */
async function load(folder: TestFolder) {
  const { table, content } = await engine.createTable();
  const clock = () => Date.parse('2026-04-01');
  const options = { userIdKey, folder: folder.path, table, timeZone: 'America/New_York', clock };
  const { outcome, problems, warnings } = await loadFolder(options);
  expect({ outcome, problems }).toEqual({ outcome: 'loaded', problems: [] });
  const all = (await content()).filter((item) => !JSON.stringify(item).includes(folder.path));
  return { warnings, items: all.filter((item) => !item.pk.startsWith('COLLECTION#files/')) };
}

test.each(['csv', 'ndjson', 'parquet'])(
  'ids in %s files may be texts, which are stored as their integers are',
  async (format) => {
    using integers = folderOf(INTEGERS, 'csv');
    using texts = format === 'parquet' ? await parquetFolderOf(TEXTS, { integer: 'VARCHAR' }) : folderOf(TEXTS, format);
    const expected = await load(integers);
    const actual = await load(texts);
    expect(actual.items).toEqual(expected.items);
    const listed = actual.warnings.filter((text) => text.includes('ids are texts'));
    expect(listed[0]).toBe(
      `accounts.${format}: 2 of 2 ids are texts, such as accounts_00000002-ä (integer ${integerOf('accounts_00000002-ä')})`,
    );
    expect(listed.map((text) => text.split('.')[0])).toEqual(
      LISTING_FILES.filter((name) => loadFileColumns(name)[0]?.name === 'id'),
    );
  },
);

/** Two texts with the same integer, which a search of 49 million texts found. */
const [ONE, OTHER] = ['cmp_03adff3b189e94', 'cmp_1501b62bb83f0e'] as const;
const INTEGER = integerOf(ONE);

test('two texts with the same integer are an error that names both', () => {
  const ids = new TextIds([]);
  const error = new Invalid(`${OTHER} has the same integer as ${ONE}, integer ${INTEGER}: change one of them`);
  expect([ids.add(ONE), ids.add(OTHER), ids.add(ONE)]).toEqual([INTEGER, error, INTEGER]);
});

/** @returns the rows with this id of ad group 1000, in files and wherever it is referred to */
const withAdGroup = (rows: FolderRows, id: string | number) =>
  withIds(rows, (text) => (text.startsWith('ad_groups_00001000') ? id : Number(/\d+/.exec(text))));
const { ad_groups: adGroups = [], budgets = [] } = NETWORK;
const activity = FACTS['facts/pla/activity'] ?? [];
const SAME = `${OTHER} has the same integer as ${ONE}, integer ${INTEGER}: change one of them`;

test.each<[string, string | number, FolderRows, string]>([
  ['in a listing', ONE, withAdGroup({ ad_groups: adGroups }, OTHER), `ad_groups.ndjson:2: id ${SAME}`],
  [
    'in a patch',
    ONE,
    withAdGroup({ 'ad_groups.patch': adGroups.slice(1, 2) }, OTHER),
    `ad_groups.patch.ndjson:1: id ${SAME}`,
  ],
  ['in a reference', ONE, withAdGroup({ budgets: budgets.slice(1, 2) }, OTHER), `budgets.ndjson:1: adGroupId ${SAME}`],
  [
    'in facts',
    ONE,
    withAdGroup({ 'facts/pla/activity': activity }, OTHER),
    `facts/pla/activity.ndjson:2: ad_group_id ${SAME}`,
  ],
  [
    'as an integer',
    ...([ONE, withAdGroup({ ad_groups: adGroups }, INTEGER)] as const),
    `ad_groups.ndjson:2: id the integer ${INTEGER} was loaded as ${ONE}: write that, or change one of them`,
  ],
  [
    'of an integer',
    ...([INTEGER, withAdGroup({ ad_groups: adGroups }, ONE)] as const),
    `ad_groups.ndjson:2: id ${ONE} was loaded as the integer ${INTEGER}: write that, or change one of them`,
  ],
  [
    'of an integer in facts',
    ...([INTEGER, withAdGroup({ 'facts/pla/activity': activity }, ONE)] as const),
    `facts/pla/activity.ndjson:2: ad_group_id ${ONE} is not among the ad_groups`,
  ],
])('an id with the integer of one that an earlier load had is an error that names both: %s', async (...args) => {
  const [, stored, rows, problem] = args;
  const table = await tableWith(engine, withAdGroup(ROWS, stored));
  expect(await outcomeOf(rows, table)).toEqual(['rejected', problem]);
  const same = { ad_groups: adGroups, 'facts/pla/activity': activity };
  expect(await outcomeOf(withAdGroup(same, stored), table)).toEqual(['unchanged']);
});

const textOf = (listing: string, id: number) => `${listing}_${String(id).padStart(8, '0')}-ä`;
const [TEN, ELEVEN] = [textOf('advertisers', 10), textOf('advertisers', 11)];
const listed = (name: string) => TEXTS[name] ?? [];
const [delivery] = listed('facts/pla/delivery');

test.each<[string, FolderRows, string[]]>([
  [
    'unknown products',
    { 'facts/pla/delivery': [{ ...delivery, entity_id: '99' }] },
    [`99 in an ad group of advertiser ${TEN} (`],
  ],
  [
    'advertisers that keep their rows, and days that shrink',
    { 'facts/pla/delivery': [{ ...delivery, impressions: 1, clicks: 0 }] },
    [`such as ${ELEVEN} (pla delivery, 2026-03-02)`, `2026-03-02 of advertiser ${TEN}: 2 hours`],
  ],
  [
    'days without rows',
    { deletions: [{ experience: 'toa', table: 'delivery', advertiserId: TEN, day: '2026-03-02' }] },
    [`no delivery rows of advertiser ${TEN} in toa`],
  ],
  [
    'campaigns that move',
    { 'campaigns.patch': [{ id: textOf('campaigns', 110), advertiserId: TEN }] },
    [`must remain ${ELEVEN}: ad group ${textOf('ad_groups', 1100)} of this campaign`],
  ],
  [
    'unknown ids',
    { 'campaigns.patch': [{ id: textOf('campaigns', 110), advertiserId: 'x-1' }] },
    ['x-1 is not among the advertisers'],
  ],
  [
    'losses',
    { contacts: [{ ...listed('contacts')[0], id: 'c-9' }] },
    [`2 of the 2 rows of contacts, such as ${textOf('contacts', 5)},`],
  ],
  [
    'budgets',
    { 'campaigns.patch': [{ id: textOf('campaigns', 100), budget: '9' }] },
    [`1 of the campaigns (among them ${textOf('campaigns', 100)})`],
  ],
])('messages name ids as texts, also those of earlier loads: %s', async (_, rows, expected) => {
  const table = await tableWith(engine, TEXTS);
  const { problems, warnings } = await loadRows(rows, table, { check: true });
  const messages = [...problems.map(formatProblem), ...warnings];
  for (const text of expected) expect(messages.join('\n')).toContain(text);
  for (const message of messages) expect(message).not.toMatch(/(?<!integer )\b[1-9]\d{12,}/);
});

test('messages say of an id that a patch has deleted it, by its text', async () => {
  const table = await tableWith(engine, TEXTS);
  const id = textOf('ad_groups', 1001);
  expect((await loadRows({ 'ad_groups.patch': [{ id, deleted: true }] }, table)).outcome).toBe('loaded');
  const rows = {
    budgets: [{ validFrom: '2026-03-01', adGroupId: id, budget: '1', budgetType: 'DAILY' }],
    'facts/pla/activity': [{ ...listed('facts/pla/activity')[0], ad_group_id: id }],
  };
  const { problems } = await loadRows(rows, table, { check: true });
  const reason = `${id} is not among the ad_groups: a patch deleted it, and npx endcap audit says when`;
  expect(problems.map(formatProblem)).toEqual([
    `budgets.ndjson:1: adGroupId ${reason}`,
    `facts/pla/activity.ndjson:1: ad_group_id ${reason}`,
  ]);
  expect(problems.every(isUnknownId)).toBe(true);
});
