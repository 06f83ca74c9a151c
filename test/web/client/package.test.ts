import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../rules/source-files.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';

const run = promisify(execFile);
const BIN = join(ROOT, 'node_modules/.bin');
const env = { ...process.env, PATH: `${BIN}:${process.env.PATH}`, npm_config_update_notifier: 'false' };

let stage: TestStage;
let folder: string;
let url: string;

/** A folder with the packed client in its node_modules, as an installation would leave it. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-consumer-'));
  const installed = join(folder, 'node_modules/endcap');
  mkdirSync(installed, { recursive: true });
  await run('npm', ['run', '--silent', 'client:pack', '--', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
    env,
  });
  await run('tar', ['-xzf', join(folder, 'endcap-1.0.0.tgz'), '--strip-components=1', '-C', installed]);
  stage = await startTestStage({ demo: true });
  url = await stage.url();
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const PROGRAM = `
import { createClient, EndcapError } from 'endcap/client';

export async function main(url, print) {
  const client = createClient({ url, key: 'ecap_demo_agency' });
  for await (const { name } of client.accounts()) print(name);
  const days = { startDate: '2026-02-23', endDate: '2026-03-01' };
  const query = { ...days, metrics: ['cost'], dimensions: ['campaign_name'], sort: [{ field: 'cost', order: 'DESC' }] };
  const report = await client.report('pla', query, { size: 1 });
  print(report.data[0].campaign_name + ': ' + report.data[0].cost + ' ' + report.meta.currency);
  await client.advertisers(1).page().catch((error) => print(error instanceof EndcapError ? error.code : String(error)));
}
`;
/** The figures are those of README.md. */
const PRINTED = [
  'Finchwater Media – Center Store',
  'Finchwater Media – Fresh & Frozen',
  'Finchwater Media – Past Clients',
  'Saltlark Always On Search: 462.62 USD',
  'ACCOUNT_FORBIDDEN',
];

describe('the packed client', () => {
  /** It used to be the tarball of the project, which installs the SDK of AWS and all else that the service needs. */
  test('is a package without dependencies, with its types, README and license', () => {
    const root = join(folder, 'node_modules/endcap');
    const { dependencies, scripts, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(readFileSync(join(root, 'client/schema.d.ts'), 'utf8')).not.toContain('import');
    expect([dependencies, scripts, Object.keys(exports)]).toEqual([undefined, undefined, ['./client']]);
    const files = readdirSync(root, { recursive: true })
      .map(String)
      .filter((file) => !file.endsWith('.d.ts'));
    expect(files.sort()).toEqual(['LICENSE', 'README.md', 'client', 'client/client.js', 'package.json']);
  });

  test('is smaller than 6 kB, minified', () => {
    expect(statSync(join(folder, 'node_modules/endcap/client/client.js')).size).toBeLessThan(6_000);
  });

  test('runs in Node', async () => {
    const call = `await main(${JSON.stringify(url)}, console.log);`;
    writeFileSync(join(folder, 'program.mjs'), `${PROGRAM}${call}`);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
    expect(stdout.trimEnd().split('\n')).toEqual(PRINTED);
  });

  test('runs in a bundle for browsers, with nothing but the globals of the web', async () => {
    writeFileSync(join(folder, 'page.mjs'), PROGRAM);
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'page.mjs')],
      bundle: true,
      platform: 'browser',
      format: 'iife',
      globalName: 'page',
      write: false,
    });
    const { fetch, Request, Response, Headers, FormData, URLSearchParams, setTimeout, clearTimeout } = globalThis;
    const web = { fetch, Request, Response, Headers, FormData, URLSearchParams, setTimeout, clearTimeout };
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    const code = `${outputFiles[0]?.text}; page.main(url, print)`;
    await runInNewContext(code, { ...web, url, print });
    expect(printed).toEqual(PRINTED);
  });

  const hasDeno = spawnSync('deno', ['--version']).status === 0;
  test.runIf(hasDeno)('runs in Deno', async () => {
    writeFileSync(join(folder, 'deno.mjs'), `${PROGRAM}await main(${JSON.stringify(url)}, console.log);`);
    const options = ['run', '--allow-net', '--allow-read', '--node-modules-dir=manual'];
    const { stdout } = await run('deno', [...options, 'deno.mjs'], { cwd: folder });
    expect(stdout.trimEnd().split('\n')).toEqual(PRINTED);
  });
});

/** Each line with a comment must have this error of the compiler, and no other line may have any. */
const TYPED_PROGRAM = `
import { createClient, type Dimension, type Metric } from 'endcap/client';

const client = createClient({ url: 'http://localhost:3000/v2', key: 'ecap_demo_agency' });
const days = { startDate: '2026-02-01', endDate: '2026-02-28' };
const report = await client.report('pla', {
  ...days,
  metrics: ['click_through_rate', 'campaign_status'],
  dimensions: ['campaign_name', 'advertiser_id'],
  sort: [{ field: 'click_through_rate', order: 'DESC' }],
});
const row = report.data[0];
if (row === undefined) throw new Error('there is no row');
export const rate: number | null = row.click_through_rate;
export const status: string | null = row.campaign_status;
export const advertiser: number | null = row.advertiser_id;
export const total: number | null = report.totals.click_through_rate;
for await (const account of client.accounts()) {
  const name: string = account.name;
  for await (const { id, advertiserId } of client.campaigns(account.id)) console.log(name, id, advertiserId);
  for (const { id } of await client.advertisers(account.id).toArray()) await client.adGroups(account.id, { advertiserId: id }).page();
}
for await (const { daily_date, cost } of client.rows('toa', { ...days, metrics: ['cost'], dimensions: ['daily_date'] })) {
  const [day, amount]: [string | null, number | null] = [daily_date, cost];
  console.log(day, amount);
}
export const onlyDimensions = await client.report('pla', { ...days, dimensions: ['keyword'] });
export const ask = async (metrics: readonly Metric[], dimensions: readonly Dimension[]) => {
  const { data } = await client.report('pla', { ...days, metrics, dimensions });
  const cost: number | null | undefined = data[0]?.cost;
  return cost;
};
const compared = await client.report('pla', { ...days, metrics: ['cost'], compare: 'previousYear', sort: [{ field: 'cost', order: 'ASC', by: 'change' }] });
export const before: number | null | undefined = compared.data[0]?.compared.cost;
export const totalBefore: number | null = compared.comparedTotals.cost;
export const change: number | null | undefined = compared.data[0]?.change.cost;
const rounded: number = row.click_through_rate; // TS2322
row.cost; // TS2339
row.compared; // TS2339
report.totals.campaign_name; // TS2339
onlyDimensions.data[0]?.cost; // TS2339
client.report('pla', { ...days, metrics: ['roas'] }); // TS2322
client.report('pla', { ...days, metrics: ['clicks'], sort: [{ field: 'cost', order: 'ASC' }] }); // TS2322
client.report('shop', { ...days, metrics: ['clicks'] }); // TS2345
`;

test('the packed types give each requested field its type and reject what was not requested', async () => {
  writeFileSync(join(folder, 'typed.mts'), TYPED_PROGRAM);
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--exactOptionalPropertyTypes',
  ];
  const platform = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'esnext,dom', '--types', ''];
  const tsc = await run('tsc', ['typed.mts', ...options, ...platform], { cwd: folder, env }).catch((error) => error);
  const errors = [...String(tsc.stdout).matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+)/gm)];
  const expected = TYPED_PROGRAM.split('\n').flatMap((line, index) => {
    const [, code] = / \/\/ (TS\d+)$/.exec(line) ?? [];
    return code === undefined ? [] : [['typed.mts', String(index + 1), code]];
  });
  expect(errors.map(([, file, line, code]) => [file, line, code])).toEqual(expected);
});
