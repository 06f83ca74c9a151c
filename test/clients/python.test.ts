import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { COPY_FORMATS } from '../../shared/web/explorer/question/copy-as.ts';
import { onDemoDay } from '../support/on-demo-day.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';
import { startServer } from '../support/start-server.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../functions/README.md'), 'utf8');
const NOTEBOOK = join(import.meta.dirname, '../../functions/reports.ipynb');
const [, HELPER = '', EXAMPLE = '', OUTPUT = ''] =
  /### From Python.*?```python\n(.*?)```\n```python\n(.*?)```\n```text\n(.*?)```/s.exec(PAGE) ?? [];

const MONTH = { startDate: '2026-02-01', endDate: '2026-03-01', advertiserIds: [], filters: [], sort: [] };
const REPORTS = [
  [
    'pla',
    {
      ...MONTH,
      dimensions: ['daily_date', 'keyword', 'entity_id', 'campaign_name', 'hour'],
      metrics: [
        'impressions',
        'cost',
        'click_through_rate',
        'halo_roas',
        'campaign_start_date',
        'unique_user_impressions',
      ],
      pagination: { offset: 1_000, size: 3_000 },
    },
  ],
  [
    'carousel',
    {
      ...MONTH,
      dimensions: ['week_date', 'ad_group_name'],
      metrics: METRIC_NAMES,
      pagination: { offset: 0, size: 200 },
    },
  ],
  ['toa', { ...MONTH, dimensions: ['keyword'], metrics: [], pagination: { offset: 0, size: 10 } }],
  ['pla', { ...MONTH, dimensions: [], metrics: ['cost', 'pacing'], pagination: { offset: 0, size: 1 } }],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'endcap-clients-'));
let stage: TestStage;
let tools: PythonTools;
beforeAll(async () => {
  tools = installPythonTools('clients/requirements.txt');
  stage = await startTestStage({ demo: true });
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

/** @returns the packages of the command `pip install …` that the text documents */
const documentedPackages = (text: string): string[] => /pip install ([\w ]+)/.exec(text)?.[1]?.trim().split(' ') ?? [];

/** @returns what the script writes to standard output */
function python(script: string, ...args: readonly string[]): Promise<string> {
  return pythonOf(tools, script, ...args);
}

async function pythonOf(installed: PythonTools, script: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, ENDCAP_URL: await stage.url() };
  const { stdout } = await promisify(execFile)(installed.bin('python'), [script, ...args], { env, maxBuffer: 1e8 });
  return stdout;
}

/** Runs Python code that has been written for the local stage. */
async function run(code: string, installed = tools): Promise<string> {
  const file = join(folder, 'code.py');
  writeFileSync(file, onDemoDay(code).replaceAll('http://localhost:3000/v2', await stage.url()));
  return pythonOf(installed, file);
}

test('pandas, polars, pyarrow and DuckDB read types and values in CSV and Arrow that equal those of JSON', async () => {
  const script = join(import.meta.dirname, 'read_files.py');
  const compared = Number(await python(script, await stage.url(), JSON.stringify(REPORTS)));
  expect(compared).toBeGreaterThan(200_000); // 7 readers × 3,000 rows × 11 columns of the first report are 231,000
});

test('the explorer’s code reads all pages of a report into a data frame, with relative dates', async () => {
  const report = {
    ...{ ...MONTH, startDate: 'latest-27d', endDate: 'latest', compare: 'previousPeriod' as const },
    ...{ metrics: ['cost'], dimensions: ['campaign_id', 'daily_date'] },
  };
  const write = COPY_FORMATS.find(({ id }) => id === 'python')?.write;
  const code = write?.({ base: await stage.url(), experience: 'pla', report }) ?? '';
  const read = (size: number) =>
    run(
      code
        .replace('"size": 10000', `"size": ${size}`)
        .replace('os.environ["ENDCAP_KEY"]', '"ecap_demo_agency"')
        .replace('print(report)', 'print(report.to_csv())'),
    );
  expect(await read(90)).toBe(await read(10_000));
});

describe('the helper of functions/README.md', () => {
  test('has at most 15 lines, and prints what the page shows', async () => {
    expect(
      HELPER.trim()
        .split('\n')
        .filter((line) => line !== '').length,
    ).toBeLessThanOrEqual(15);
    expect(await run(`${HELPER}\n${EXAMPLE}`)).toBe(OUTPUT);
  });

  test('returns the same rows in many pages as in one', async () => {
    const query =
      'dict(startDate="2026-02-01", endDate="2026-02-07", dimensions=["keyword", "entity_name", "daily_date"], metrics=["cost"])';
    const use = `rows = report("pla", "ecap_demo_agency", **${query}).rows()\nprint(len(rows), rows)`;
    const whole = await run(`${HELPER}\n${use}`);
    expect(whole.length).toBeGreaterThan(100_000);
    expect(await run(`${HELPER.replace('50_000', '777')}\n${use}`)).toBe(whole);
  });

  test('needs no more than the packages that the page names, also for a pandas data frame', async () => {
    const [, frame = ''] = /`report\(…\)\.to_pandas\(\)`(.*?)\n/.exec(PAGE) ?? [];
    expect(documentedPackages(HELPER)).toEqual(['requests', 'polars']);
    expect(documentedPackages(frame)).toEqual(['requests', 'polars', 'pandas', 'pyarrow']);
    for (const [text, use] of [
      [HELPER, ''],
      [frame, 'print(weeks.to_pandas().dtypes.to_dict())'],
    ] as const) {
      const installed = installPythonTools('clients/requirements.txt', documentedPackages(text));
      expect(await run(`${HELPER}\n${EXAMPLE}\n${use}`, installed)).toContain(OUTPUT);
    }
  });

  test('raises the problem of a rejected report', async () => {
    await expect(
      run(
        `${HELPER}\nreport("pla", "ecap_demo_agency", startDate="2026-02-30", endDate="2026-03-01", metrics=["cost"])`,
      ),
    ).rejects.toThrow(/NO_SUCH_DATE/);
  });
});

/** The pages were joined without a word: the rows of two loads do not fit together. */
test('the helper of functions/README.md raises an error if data is loaded between two pages', async () => {
  let pages = 0;
  await using proxy = await startServer(async (request, response) => {
    const headers = { accept: String(request.headers.accept), 'ocp-apim-subscription-key': 'ecap_demo_agency' };
    const body = Buffer.concat(await request.toArray());
    const path = request.url?.slice('/v2'.length); // the stage's URL ends in /v2
    const found = await fetch(`${await stage.url()}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const { 'content-encoding': coding, 'content-length': size, ...kept } = Object.fromEntries(found.headers);
    const version = pages++ === 0 ? {} : { 'endcap-data-version': 'of the next load' };
    response.writeHead(found.status, { ...kept, ...version }).end(new Uint8Array(await found.arrayBuffer()));
  });
  const query = 'startDate="2026-02-01", endDate="2026-02-07", dimensions=["keyword"], metrics=["cost"]';
  const use = `report("pla", "ecap_demo_agency", "${proxy.endpoint}/v2", ${query})`;
  await expect(run(`${HELPER.replace('50_000', '5')}\n${use}`)).rejects.toThrow(/data was loaded between two pages/);
  expect(pages).toBe(2);
});

const Text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);
const Notebook = z.object({
  cells: z.array(
    z.object({
      cell_type: z.enum(['code', 'markdown']),
      source: Text,
      outputs: z
        .array(
          z.object({
            text: Text.optional(),
            data: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .optional(),
    }),
  ),
});

function readNotebook(file: string) {
  const { cells } = Notebook.parse(JSON.parse(readFileSync(file, 'utf8')));
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  return {
    sources: cells.map(({ source }) => source),
    texts: outputs.flatMap(({ text }) => text ?? []),
    images: outputs.filter(({ data }) => data !== undefined && 'image/png' in data).length,
  };
}

describe('the notebook functions/reports.ipynb', () => {
  test('names the packages that it needs, with JupyterLab, which runs it', () => {
    expect(documentedPackages(readFileSync(NOTEBOOK, 'utf8'))).toEqual([
      'requests',
      'polars',
      'matplotlib',
      'jupyterlab',
    ]);
  });

  test('draws four charts, with the helper of the page', async () => {
    const shown = readNotebook(NOTEBOOK);
    expect(shown.images).toBe(4);
    expect(shown.sources.map((source) => source.trim())).toContain(HELPER.trim());
  });

  test('runs from the first to the last cell, and has the outputs that it shows', async () => {
    const [dated, executed] = [join(folder, 'dated.ipynb'), join(folder, 'executed.ipynb')];
    writeFileSync(dated, onDemoDay(readFileSync(NOTEBOOK, 'utf8')));
    await python(join(import.meta.dirname, 'execute_notebook.py'), dated, executed);
    expect(readNotebook(executed)).toEqual(readNotebook(dated));
  });
});
