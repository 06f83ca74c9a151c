import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { LISTING_FILES } from '../../shared/load/schema/file-columns.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { forward, sendOn } from '../support/forward.ts';
import { startServer } from '../support/start-server.ts';
import type { TestTable } from '../support/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { USER_ID_KEY } from '../support/user-id-key.ts';
import { folderOf, makeFolder, type TestFolder } from './support/folder.ts';
import { EXPECTED, FACTS, NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';
import { type OnStderr, runLoad } from './support/run-load.ts';

const ROOT = join(import.meta.dirname, '../..');
const engine = useEngine();

/** @param dataDir the data folder of the local stage */
const load = (dataDir: string, args: readonly string[], onStderr?: OnStderr) =>
  runLoad(args, { DATA_DIR: dataDir }, onStderr);

/** @returns a new table, and a data folder whose `stage.json` names it as the table of the running stage */
async function stageFolder(): Promise<{ dataDir: TestFolder } & Pick<TestTable, 'table' | 'content'>> {
  const { table, content, tableName, endpoint } = await engine.createTable();
  return { dataDir: stageFolderOf(tableName, endpoint), table, content };
}

function stageFolderOf(tableName: string, dynamodb: string): TestFolder {
  const dataDir = makeFolder();
  const stage = { pid: process.pid, url: 'http://localhost:3000/v2', dynamodb, tableName, timeZone: 'UTC' };
  dataDir.write('stage.json', JSON.stringify(stage));
  dataDir.write('user-ids.key', Buffer.from(USER_ID_KEY).toString('hex'));
  return dataDir;
}

/** Times and rates differ from run to run, and the number of parts of the listings is of no interest. */
const withoutTimes = (text: string) =>
  text
    .replaceAll(/, [\d,]+ rows\/s/g, '')
    .replaceAll(/ in [\d.]+ s$/gm, '')
    .replace(/wrote (\d+) of \1 parts/, 'wrote all parts');

const ROWS = Object.values({ ...NETWORK, ...FACTS }).reduce((sum, rows) => sum + rows.length, 0);
/** The lines of the report about the listings. */
const LISTED = LISTING_FILES.filter((listing) => listing in NETWORK)
  .map((listing) => [listing, NETWORK[listing]?.length ?? 0] as const)
  .map(
    ([listing, count]) =>
      `  ${listing}: ${count} ${count === 1 ? 'row' : 'rows'}, written (${count} added, 0 replaced, 0 removed)\n`,
  )
  .join('');

describe('npm run load', () => {
  test('explains in its first line how to load without the demo network, if the data folder holds it', async () => {
    const { dataDir } = await stageFolder();
    using data = dataDir;
    data.write('demo.json', JSON.stringify({ state: 'loaded', end: '2026-03-01' }));
    using folder = folderOf({ accounts: [{ id: 1, name: 'Mine' }] });
    expect((await load(data.path, [folder.path])).err.split('\n')[0]).toBe(
      `The data folder holds the demo network. To use your own data without it, choose another data folder: DATA_DIR=mine npm run load -- ${folder.path}`,
    );
  });

  test('loads into the running stage, prints its progress and what it loaded, and exits with 0', async () => {
    const { dataDir, table } = await stageFolder();
    using data = dataDir;
    using folder = folderOf({ ...NETWORK, ...FACTS }, 'csv.gz');
    const first = await load(data.path, [folder.path]);
    const [, logged = '{}'] = /^(\{.*\})\n/m.exec(first.err) ?? [];
    expect(JSON.parse(logged)).toMatchObject({ message: 'change', action: 'load', subject: folder.path });
    expect({ ...first, err: withoutTimes(first.err.replace(`${logged}\n`, '')) }).toEqual({
      code: 0,
      err: `loading ${folder.path} into the local stage at http://localhost:3000/v2, which is empty\nchecked ${ROWS} rows\nwrote all parts of the listings\nwrote facts: 11 rows\nwarning: freshness.csv.gz: completeThrough 2026-03-04 in pla is after 2026-03-03, the latest day with delivery\nwarning: facts/pla/conversions*: lacks creative_key, division_banner, keyword on 1 new day, unlike other facts: reports by it leave them out\n`,
      out: `${LISTED}  facts/carousel/delivery: 1 row on 1 advertiser day
  facts/pla/activity: 2 rows on 1 advertiser day
  facts/pla/conversions: 1 row on 1 advertiser day
  facts/pla/delivery: 5 rows on 3 advertiser days
  facts/pla/market: 2 rows on 2 market days
  changed days             new  replaced  emptied   rows  impressions               cost
  facts/pla/delivery         3         0        0  0 → 4       0 → 29  0 → 12,345.978901
  facts/pla/conversions      1         0        0  0 → 1
  facts/pla/activity         1         0        0  0 → 2
  facts/pla/market           2         0        0  0 → 2    0 → 1,070
  facts/carousel/delivery    1         0        0  0 → 1        0 → 9              0 → 0
loaded
`,
    });
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
    const second = await load(data.path, [folder.path]);
    expect(second.out.split('\n').at(-2)).toBe('unchanged: everything had already been loaded');
    expect(second.code).toBe(0);
    using deletions = folderOf({
      deletions: [{ experience: 'pla', table: 'delivery', day: '2026-03-02' }],
    });
    const changes = `  changed days        new  replaced  emptied   rows  impressions               cost
  facts/pla/delivery    0         0        2  3 → 0       26 → 0  12,345.978901 → 0
`;
    const check = await load(data.path, [deletions.path, '--check']);
    expect({ ...check, err: withoutTimes(check.err) }).toEqual({
      code: 0,
      err: `checking ${deletions.path} against the local stage at http://localhost:3000/v2\nchecked 0 rows\n`,
      out: `${changes}checked: nothing was written\n`,
    });
    const third = await load(data.path, [deletions.path]);
    expect([third.code, third.out]).toEqual([0, `${changes}loaded\n`]);
    expect((await load(data.path, [deletions.path, '--replace', 'day'])).err).toContain(
      '--replace is day; it must be one of advertiser-days, days, hours, or days such as 2026-02-01..2026-02-28',
    );
  });

  test('prints what a patch has changed, and that it changes nothing if it is loaded again', async () => {
    const { dataDir } = await stageFolder();
    using data = dataDir;
    using network = folderOf(NETWORK);
    expect((await load(data.path, [network.path])).code).toBe(0);
    using patch = makeFolder();
    patch.write('users.patch.csv', 'userId,name,userType,accountIds,deleted\nu-new,Nina,CPG,1|2,\nu-cpg,,,,true\n');
    const first = await load(data.path, [patch.path]);
    expect([first.code, first.out]).toEqual([0, '  users: 2 rows, written (1 added, 0 replaced, 1 removed)\nloaded\n']);
    const second = await load(data.path, [patch.path]);
    const unchanged = '  users: 2 rows, unchanged\nunchanged: everything had already been loaded\n';
    expect([second.code, second.out]).toEqual([0, unchanged]);
    expect(second.err).toContain('warning: users.patch.csv:3: userId u-cpg is not among the users;');
  });

  test('prints the first problems and the number of further ones, and exits with 1', async () => {
    const { dataDir } = await stageFolder();
    using data = dataDir;
    using folder = makeFolder();
    folder.write('accounts.csv', 'id,name\n0,\n1,\n');
    folder.write('notes.md', '');
    const { code, out, err } = await load(data.path, [folder.path, '--max-errors', '2']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n').slice(2)).toEqual([
      'warning: notes.md: not a data file, ignored',
      'accounts.csv:2: id must be an integer ≥ 1, not "0"',
      'accounts.csv:2: name is required',
      '… and 1 more problem; use --max-errors to show more',
      'endcap: 3 problems, nothing was loaded',
      '',
    ]);
  });

  test('removes what was written on Ctrl-C, and exits with 130', async () => {
    const { dataDir, table, content } = await stageFolder();
    using data = dataDir;
    const rows = Array.from({ length: 2000 }, (_, i) => ({ id: i + 1, name: `Account ${i}` }));
    using folder = folderOf({ accounts: rows });
    const { code, out, err } = await load(data.path, [folder.path], (text, interrupt) => {
      if (text.endsWith('\n') && text.includes('checked') && !text.includes('interrupted')) interrupt();
    });
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toContain('interrupted: removing what was written\n');
    expect(err.endsWith('endcap: the load was interrupted, and nothing has changed\n')).toBe(true);
    expect((await readCommit(table)).commit).toBe(0);
    expect((await content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual([]);
  });

  test('does not say that nothing has changed, if the commit fails after Ctrl-C', async () => {
    const { table, tableName, endpoint } = await engine.createTable();
    const interruption = Promise.withResolvers<void>();
    let interrupt = () => {};
    await using proxy = await startServer(async (request, response) => {
      const body = await buffer(request);
      if (body.includes('#commit = :n')) {
        // the update that commits
        interrupt();
        await interruption.promise;
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
        return void response.end(JSON.stringify({ __type: 'ValidationException', message: 'the commit fails' }));
      }
      await sendOn(await forward(request, endpoint, body), response);
    });
    using data = stageFolderOf(tableName, proxy.endpoint);
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    const { code, err } = await load(data.path, [folder.path], (text, pressCtrlC) => {
      interrupt = pressCtrlC;
      if (text.includes('interrupted: removing what was written')) interruption.resolve();
    });
    expect(code).toBe(130);
    expect(err).not.toContain('nothing has changed');
    expect(err.split('\n').slice(-3)).toEqual([
      'endcap: the load was interrupted, perhaps while it committed: run it again to make sure that the folder is loaded',
      expect.stringContaining('the commit fails'),
      '',
    ]);
    expect((await readCommit(table)).commit).toBe(0);
  });

  test('reports a stage that stops during the load', async () => {
    const stage = await startServer((_, response) => response.end());
    using data = makeFolder();
    const url = 'http://localhost:3000';
    const running = { pid: 1, url, dynamodb: stage.endpoint, tableName: 'T', timeZone: 'UTC' };
    data.write('stage.json', JSON.stringify(running));
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    let ended: PromiseLike<void> | undefined;
    const { code, err } = await load(data.path, [folder.path], () => {
      ended ??= stage[Symbol.asyncDispose]();
    });
    await ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: `loading ${folder.path} into the local stage at ${url}, which is empty\nendcap: the local stage at ${url} has ended: start it again, then repeat the command\n`,
    });
  });

  test.each<[string, string[], string]>([
    ['no folder', [], 'endcap: exactly one folder is required\nusage: npm run load -- FOLDER'],
    ['a folder that is not there', ['/nowhere'], 'endcap: there is no folder /nowhere\n'],
    ['a file', [join(ROOT, 'package.json')], `endcap: there is no folder ${join(ROOT, 'package.json')}\n`],
    [
      'a wrong number',
      ['.', '--max-errors', '0'],
      'endcap: --max-errors is 0; it must be an integer from 1 to 9999999\n',
    ],
    ['an unknown option', ['.', '--tabel', 'x'], "endcap: Unknown option '--tabel'"],
    [
      'an option without its value',
      ['.', '--table'],
      "endcap: Option '--table <value>' argument missing\nusage: npm run load",
    ],
  ])('rejects %s, and says what is wrong', async (_, args, message) => {
    const { code, out, err } = await load('/nowhere', args);
    expect({ code, out, err: err.slice(0, message.length) }).toEqual({ code: 1, out: '', err: message });
  });

  test('prints its usage with --help', async () => {
    const { code, out } = await load('/nowhere', ['--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^usage: npm run load -- FOLDER .*--table NAME/);
  });
});
