import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { writeReportWorkbook } from '../../shared/web/explorer/export/report-workbook.ts';
import { Catalogue } from '../../shared/web/explorer/question/catalogue.ts';
import { EMPTY_QUESTION } from '../../shared/web/explorer/question/question.ts';
import { Api, comparedRows } from '../../shared/web/explorer/service/api.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';
import { NASTY_ROWS, writeRows } from '../web/explorer/workbook-report.ts';

const Rows = z.array(z.array(z.union([z.null(), z.tuple([z.string(), z.union([z.string(), z.number()])])])));
const Read = z.object({
  openpyxl: z.object({ filter: z.string(), frozen: z.string(), rows: Rows }),
  libreOffice: z.object({ filters: z.array(z.string()), rows: Rows }),
});

const folder = mkdtempSync(join(tmpdir(), 'endcap-workbook-'));
let tools: PythonTools;
let stage: TestStage;
beforeAll(async () => {
  tools = installPythonTools('clients/requirements-sheets.txt');
  stage = await startTestStage({ demo: true });
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

/** @returns the first sheet as both programs read it */
async function readBack(workbook: Blob) {
  const file = join(folder, 'report.xlsx');
  writeFileSync(file, new Uint8Array(await workbook.arrayBuffer()));
  const script = join(import.meta.dirname, 'read_workbook.py');
  const { stdout } = await promisify(execFile)(tools.bin('python'), [script, file, folder], { maxBuffer: 1e8 });
  return Read.parse(JSON.parse(stdout));
}

type Kind = 'text' | 'date' | 'number' | 'currency' | 'percentage' | 'float';

/** @param kinds of the columns */
const typed = (rows: readonly (readonly unknown[])[], kinds: readonly Kind[]) =>
  rows.map((row) =>
    row.map((value, index) => {
      if (value === null) return null;
      const kind = typeof value === 'string' && kinds[index] !== 'date' ? 'text' : kinds[index];
      return [kind, value];
    }),
  );

/** LibreOffice writes 15 digits of a number; openpyxl reads all. */
const rounded = (rows: z.infer<typeof Rows>) =>
  rows.map((row) =>
    row.map((cell) =>
      typeof cell?.[1] === 'number' && !Number.isInteger(cell[1]) ? [cell[0], Number(cell[1].toPrecision(8))] : cell,
    ),
  );

test('openpyxl and LibreOffice read texts, dates, money and percent as such, no formulas, and the filter of the header', async () => {
  const { openpyxl, libreOffice } = await readBack(await writeRows());
  // ids, and numbers that Excel would not show whole, are texts
  const shown = NASTY_ROWS.map((row) =>
    row.map((value, index) =>
      index === 1 || value === 12345678901234.56 || value === 1234567890123456 ? String(value) : value,
    ),
  );
  const kinds = ['text', 'text', 'text', 'number', 'date', 'number', 'number', 'number'] as const;
  expect(openpyxl).toMatchObject({ filter: 'A1:H6', frozen: 'A2' });
  expect(openpyxl.rows.slice(1)).toEqual(typed(shown, kinds));
  const own = ['text', 'text', 'text', 'float', 'date', 'currency', 'percentage', 'float'] as const;
  expect(libreOffice.filters).toEqual(['Report.A1:Report.H6']);
  expect(rounded(libreOffice.rows.slice(1))).toEqual(rounded(Rows.parse(typed(shown, own))));
});

test('openpyxl and LibreOffice read the cells of a report that its JSON has, with those of the compared period', async () => {
  const api = new Api(await stage.url(), 'ecap_demo_agency');
  const catalogue = new Catalogue(await api.catalogue());
  const [dimensions, metrics] = [
    ['campaign_name', 'campaign_id', 'daily_date'],
    ['cost', 'click_through_rate', 'clicks'],
  ];
  const request = {
    ...{
      startDate: '2026-02-01',
      endDate: '2026-03-01',
      advertiserIds: [],
      filters: [],
      compare: 'previousPeriod' as const,
    },
    ...{ metrics, dimensions, sort: [{ field: 'cost', order: 'DESC' as const }] },
  };
  const question = { ...EMPTY_QUESTION, experience: 'pla' };
  const context = { catalogue, title: 'Report', owners: 'all', link: '' };
  const options = { onProgress: () => undefined, signal: new AbortController().signal };
  const { openpyxl, libreOffice } = await readBack(
    await writeReportWorkbook(api, { question, request }, context, options),
  );
  const rows: unknown[][] = [];
  for await (const page of api.pages('pla', request, options.signal))
    for (const { row, previous, change, relativeChange } of comparedRows(page)) {
      const figures = metrics.flatMap((name) =>
        [row, previous, change, relativeChange].map((of) => of?.[name] ?? null),
      );
      rows.push([row.campaign_name, String(row.campaign_id), row.daily_date, ...figures]);
    }
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter((row) => !row.includes(null)).length).toBeGreaterThan(50);
  const numbers = Array.from({ length: 12 }, () => 'number' as const);
  expect(openpyxl.rows.slice(1)).toEqual(typed(rows, ['text', 'text', 'date', ...numbers]));
  const own = (['currency', 'percentage', 'float'] as const).flatMap((kind) => [
    kind,
    kind,
    kind,
    'percentage' as const,
  ]);
  expect(rounded(libreOffice.rows.slice(1))).toEqual(
    rounded(Rows.parse(typed(rows, ['text', 'text', 'date', ...own]))),
  );
});
