import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { codeBlocksOf } from '../rules/pages.ts';
import { readSource } from '../rules/source-files.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';

const PAGE = readSource('functions/sheets.md');
const BLOCKS = codeBlocksOf('functions/sheets.md');
const [URLS = ''] = BLOCKS.filter(({ language }) => language === 'text').map(({ text }) => text);
const [WITHOUT_KEY = '', WITH_KEY = ''] = URLS.trim().split('\n');

/** @returns the text of the page's only block that has the text */
function blockWith(part: string): string {
  const found = BLOCKS.filter(({ text }) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

const folder = mkdtempSync(join(tmpdir(), 'endcap-sheets-'));
let stage: TestStage;
let tools: PythonTools;
/** The key, as in a header and as in a URL. */
let key: string;
/** Rows, cost, first day, last day, and rows without a return, of the JSON of the report. */
let expected: string;
beforeAll(async () => {
  tools = installPythonTools('clients/requirements-sheets.txt');
  stage = await startTestStage({ demo: true });
  ({ key } = await createKey(stage.table, 'demo-agency', { isForUrls: true, accountIds: [1001] }));
  const response = await fetch((await local(WITH_KEY)).replace('format=csv', 'format=json'));
  const { data }: { data: Record<string, unknown>[] } = JSON.parse(await response.text());
  const days = data.map((row) => String(row.daily_date)).sort();
  const cost = data.reduce((sum, row) => sum + Number(row.cost), 0).toFixed(2);
  const unknown = data.filter((row) => row.halo_roas === null).length;
  expect(unknown).toBeGreaterThan(0);
  expected = `${data.length} ${cost} ${days[0]} ${days.at(-1)} ${unknown}\n`;
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

/** @returns the text for the local stage, with the key */
async function local(text: string): Promise<string> {
  return text.replaceAll('http://localhost:3000/v2', await stage.url()).replaceAll('=KEY', `=${key}`);
}

async function run(command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...process.env, HOME: folder, ...more };
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env });
  return stdout;
}

const python = (code: string) => run(tools.bin('python'), ['-c', code]);

/** From the package, because nothing may be downloaded when the test runs. */
const LOAD_HTTPFS = 'import duckdb, duckdb_extensions\nduckdb_extensions.import_extension("httpfs")';

/** Prints what is expected of a data frame of pandas. */
const PRINT_PANDAS =
  'print(len(report), f"{report.cost.sum():.2f}", report.daily_date.min().date(), report.daily_date.max().date(), report.halo_roas.isna().sum())';

/** Each program with the key in the header, and with the key in the URL, as the page describes it. */
const KEYS = [
  ['a header', WITHOUT_KEY, (code: string) => code],
  ['the URL', WITH_KEY, (code: string) => code.replace(/, (?:storage_options|headers)=\{.*?\}/, '')],
] as const;

test.each(KEYS)('pandas and polars read the report with the key in %s', async (_place, url, adapt) => {
  const names = `URL, KEY = "${await local(url)}", "${key}"`;
  expect(await python(`${names}\n${adapt(blockWith('import pandas'))}\n${PRINT_PANDAS}`)).toBe(expected);
  const figures = ['cost.sum', 'daily_date.min', 'daily_date.max', 'halo_roas.null_count'].map((call) => {
    const [column, method] = call.split('.');
    return `report["${column}"].${method}()`;
  });
  const print = `print("%d %.2f %s %s %d" % (len(report), ${figures.join(', ')}))`;
  expect(await python(`${names}\n${adapt(blockWith('import polars'))}\n${print}`)).toBe(expected);
});

test.each(KEYS)('DuckDB reads the report with the key in %s', async (_place, url) => {
  const [secret = '', table = ''] = blockWith('CREATE SECRET').trim().split('\n');
  const statements = [
    url === WITH_KEY ? '' : secret.replace("'KEY'", `'${key}'`),
    table.replace('URL', await local(url)),
  ];
  const facts =
    "printf('%d %.2f %s %s %d', count(*), sum(cost), min(daily_date), max(daily_date), count(*) - count(halo_roas))";
  const code = `${LOAD_HTTPFS}\nduckdb.execute("""${statements.join('\n')}""")\nprint(duckdb.execute("""SELECT ${facts} FROM report""").fetchone()[0])`;
  expect(await python(code)).toBe(expected);
});

test.each([
  ['a header', WITHOUT_KEY, (code: string) => code],
  ['the URL', WITH_KEY, (code: string) => code.replace(/url\(URL, .*?\)\)\)/, 'URL)')],
])('R reads the report with the key in %s', async (_place, url, adapt) => {
  const names = `URL <- "${await local(url)}"; KEY <- "${key}"`;
  const print =
    'cat(sprintf("%d %.2f %s %s %d\\n", nrow(report), sum(report$cost), min(report$daily_date), max(report$daily_date), sum(is.na(report$halo_roas))))';
  expect(await run('Rscript', ['-e', `${names}\n${adapt(blockWith('read.csv'))}\n${print}`])).toBe(expected);
});

test('curl writes the report to a file', async () => {
  await run('sh', ['-c', blockWith('curl --fail')], { KEY: key, URL: await local(WITHOUT_KEY) });
  const read = 'import pandas as pd\nreport = pd.read_csv("report.csv", parse_dates=["daily_date"])';
  expect(await python(`${read}\n${PRINT_PANDAS}`)).toBe(expected);
});

test('LibreOffice reads the report as dates and numbers', async () => {
  await run('sh', ['-c', blockWith('soffice')], { URL: await local(WITH_KEY) });
  const read = 'import pandas as pd\nreport = pd.read_excel("pla.xlsx")';
  expect(await python(`${read}\n${PRINT_PANDAS}`)).toBe(expected);
});

test('product ids keep their leading zeros with the options of the page', async () => {
  const option = (program: string) => PAGE.match(`\\| ${program} \\| \`(.*?)\` \\|`)?.[1];
  const url = (await local(WITH_KEY)).replace(/by=.*?&/, 'by=entity_id&');
  const ids = (await (await fetch(url)).text()).matchAll(/^"(\d+)",/gm);
  const first = [...ids].map(([, id]) => id).sort()[0];
  expect(first).toMatch(/^0\d+$/);
  const sql = `SELECT min(entity_id) FROM read_csv('${url}', ${option('DuckDB')})`;
  const r = `cat(min(read.csv("${url}", na.strings = "", ${option('R')})$entity_id, na.rm = TRUE), "\\n", sep = "")`;
  const printed = [
    await python(`import pandas as pd\nprint(pd.read_csv("${url}", ${option('pandas')}).entity_id.dropna().min())`),
    await python(
      `import polars as pl, requests\nprint(pl.read_csv(requests.get("${url}").content, ${option('polars')})["entity_id"].min())`,
    ),
    await python(`${LOAD_HTTPFS}\nprint(duckdb.execute("""${sql}""").fetchone()[0])`),
    await run('Rscript', ['-e', r]),
  ];
  expect(printed).toEqual(printed.map(() => `${first}\n`));
});
