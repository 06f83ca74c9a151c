import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { startServer } from '../../support/start-server.ts';
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
const report = (...args: string[]) => reportFrom(url, ...args);
const reportFrom = (service: string, ...args: string[]) =>
  runCommand('../tools/report/report', args, { ENDCAP_URL: service, ENDCAP_KEY: 'ecap_demo_agency' });

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

/** A proxy of the stage whose pages have one row, and all pages but the first another data version. */
function startChangingService() {
  let pages = 0;
  return startServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}');
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const isReport = request.method === 'POST';
    const given = await fetch(new URL(request.url ?? '', url), {
      method: request.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), 'accept-encoding': 'identity' }, // none is sent twice
      ...(isReport ? { body: JSON.stringify({ ...body, pagination: { ...body.pagination, size: 1 } }) } : {}),
    });
    for (const [name, value] of given.headers) if (name !== 'content-length') response.setHeader(name, value);
    if (isReport && pages++ > 0) response.setHeader('endcap-data-version', 'later');
    response.writeHead(given.status).end(Buffer.from(await given.arrayBuffer()));
  });
}

test('if data is loaded meanwhile, a file is written again, and a pipe ends with an error and no row twice', async () => {
  const days = [
    '--by',
    'daily_date',
    '--metrics',
    'clicks',
    '--from',
    '2026-02-27',
    '--to',
    '2026-03-01',
    '--format',
    'csv',
  ];
  const file = join(folder, 'changed.csv');
  const pipe = join(folder, 'changed');
  execFileSync('mkfifo', [pipe]);
  await report(...days, '--out', file);
  const whole = readFileSync(file, 'utf8');
  const serve = async (out: string) => {
    await using service = await startChangingService();
    return await reportFrom(`${service.endpoint}${new URL(url).pathname}`, ...days, '--out', out);
  };
  const again = await serve(file);
  expect([again, readFileSync(file, 'utf8')]).toEqual([{ code: 0, stdout: '', stderr: '' }, whole]);
  const [part, failed] = await Promise.all([readFile(pipe, 'utf8'), serve(pipe)]);
  const [header, first] = whole.split('\r\n');
  expect([failed.code, part]).toEqual([1, `${header}\r\n${first}\r\n`]);
  expect(failed.stderr).toContain('DATA_CHANGED');
});

test('writes to a pipe, which is not replaced', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const args = [...WEEKS, '--format', 'csv', '--out', pipe];
  const [written, { code }] = await Promise.all([readFile(pipe, 'utf8'), report(...args)]);
  expect([code, written]).toEqual([0, 'week_date,cost\r\n2026-02-23,2351.28\r\n']);
});

test('writes through a link, which is not replaced', async () => {
  const [target, link] = [join(folder, 'target'), join(folder, 'link')];
  writeFileSync(target, 'before');
  symlinkSync(target, link);
  const { code } = await report(...WEEKS, '--format', 'csv', '--out', link);
  expect([code, readFileSync(target, 'utf8')]).toEqual([0, 'week_date,cost\r\n2026-02-23,2351.28\r\n']);
});
