import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { runCommand } from '../cli/run-command.ts';

let stage: TestStage;
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'endcap-report-files-'));
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  url = await stage.url();
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const WEEKS = ['--by', 'week_date', '--metrics', 'cost', '--from', '2026-02-23', '--to', '2026-03-01'];
const report = (...args: string[]) =>
  runCommand('../tools/report/report', args, { ENDCAP_URL: url, ENDCAP_KEY: 'ecap_demo_agency' });

test.each(['csv', 'json', 'arrow', 'table'])(
  'leaves a file as it was if %s cannot be written completely',
  async (format) => {
    const file = join(folder, `kept.${format}`);
    writeFileSync(file, 'before');
    mkdirSync(`${file}.part`); // takes the place of the incomplete file
    const { code } = await report(...WEEKS, '--format', format, '--out', file);
    expect([code, readFileSync(file, 'utf8')]).toEqual([1, 'before']);
  },
);

test('writes to a pipe, which is not replaced', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const args = [...WEEKS, '--format', 'csv', '--out', pipe];
  const [text, { code }] = await Promise.all([readFile(pipe, 'utf8'), report(...args)]);
  expect([code, text]).toEqual([0, 'week_date,cost\r\n2026-02-23,2351.28\r\n']);
});
