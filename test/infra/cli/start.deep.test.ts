import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDataDir } from '../../../infra/local/data-dir.ts';
import { folderOf } from '../../load/support/folder.ts';
import { copyOfDemo, DEMO_END } from '../../support/stage.ts';
import { runCommand } from './run-command.ts';
import { type Running, sendCurl, startStage } from './start-stage.ts';

const PATIENT = { timeout: 120_000 };

describe('npm start rejects', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-start-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const formatted = (name: string, content: string) => {
    const path = mkdtempSync(join(folder, name));
    writeFileSync(join(path, 'format.json'), content);
    return path;
  };

  test.each([
    ['a data folder that is a file', { DATA_DIR: file }, /the data folder .* cannot be used: EEXIST/],
    ['a data folder below a file', { DATA_DIR: join(file, 'x') }, /the data folder .* cannot be used: ENOTDIR/],
    [
      'a data folder of a newer format',
      { DATA_DIR: formatted('newer', '{"version":2}') },
      /has format 2, but this version of Endcap supports only 1: use a newer version, or another folder/,
    ],
    ['a data folder that is damaged', { DATA_DIR: formatted('odd', '{"version":') }, /format\.json is damaged/],
    ['a PORT that is not a number', { PORT: '80a', DATA_DIR: folder }, /PORT is 80a; it must be 0 to 65535/],
    ['a LOG that is not json', { LOG: 'text' }, /LOG is text; it must be json, or not set/],
    ['a DEMO_END that is not a date', { DEMO_END: '2026-02-30' }, /DEMO_END is 2026-02-30; it must be a date/],
  ])('%s, in one line', async (_, env, message) => {
    const { code, stdout, stderr } = await runCommand('start', [], env);
    expect(stderr).toMatch(message);
    expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
  });

  test('an unknown option, followed by the usage', async () => {
    const { code, stderr } = await runCommand('start', ['--port', '4000'], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^endcap: Unknown option '--port'.*\nusage: npm start \[-- --no-demo\]\n/),
    });
  });

  test('a port in use', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, stderr } = await runCommand('start', [], { PORT: String(port), DATA_DIR: join(folder, 'busy') });
    server.close();
    expect({ code, stderr }).toEqual({ code: 1, stderr: `endcap: port ${port} is in use: set PORT to another one\n` });
  });
});

/** These tests run in order: each one uses the stage, running or ended, that the test before it has left. */
describe('the local stage', () => {
  let folder: string;
  let stage: Running;
  beforeAll(async () => {
    folder = await copyOfDemo();
    openDataDir(folder).writeDemo({ state: 'loaded', end: DEMO_END });
    stage = await startStage(folder);
  }); // on a fresh checkout this also loads the demo network
  afterAll(() => {
    stage.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('responds to the three requests that it prints', async () => {
    const curls = stage
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('curl '));
    expect(curls).toHaveLength(3);
    const responses = await Promise.all(curls.map(async (line) => Object.keys(JSON.parse(await sendCurl(line)))));
    expect(responses.map((keys) => keys.slice(0, 2))).toEqual([
      ['data', 'meta'],
      ['data', 'meta'],
      ['headers', 'data'],
    ]);
  });

  test('serves the documentation and the OpenAPI document, and responds 404 to unknown paths', async () => {
    const docs = await fetch(`${stage.base}/docs`);
    expect({ status: docs.status, type: docs.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    expect((await fetch(`${stage.base}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${stage.base}/nope`)).status).toBe(404);
  });

  test('cannot be started twice on one folder', async () => {
    const { code, stderr } = await runCommand('start', [], { DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^endcap: a local stage already runs on .*: http:\/\/localhost:\d+ \(process \d+\)\n$/);
  });

  test('accepts a key that npm run key creates while it runs, and records each change of it for npx endcap audit', async () => {
    const env = { DATA_DIR: folder };
    const created = await runCommand('key', ['create', '--user', 'demo-cpg', '--days', '7'], env);
    const [target, logged = '{}', ...rest] = created.stderr.split('\n');
    expect([target, rest]).toEqual([`keys of demo-cpg in the local stage at ${stage.base.replace(/\/v2$/, '')}`, ['']]);
    const change = { level: 'INFO', message: 'change', action: 'key create', details: { userId: 'demo-cpg' } };
    expect(JSON.parse(logged)).toMatchObject(change);
    const [key = ''] = created.stdout.split('\n');
    expect(key).toMatch(/^ecap_[0-9A-Za-z]{49}$/);
    const list = () => fetch(`${stage.base}/metadata/accounts`, { headers: { 'Ocp-Apim-Subscription-Key': key } });
    expect((await list()).status).toBe(200);

    const listed = await runCommand('key', ['list', '--user', 'demo-cpg'], env);
    expect(listed.stdout).not.toContain(key);
    const [, id = ''] =
      /^(\w+) {2}created [\d-]+ {2}expires [\d-]+ {2}last used [\d-]+ {2}Expires within 7 days\.$/m.exec(
        listed.stdout.trim().split('\n').at(-1) ?? '',
      ) ?? [];
    const third = await runCommand('key', ['create', '--user', 'demo-cpg', '--max-keys', '2'], env);
    expect({ code: third.code, stderr: third.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('already has 2 valid keys'),
    });
    const mistyped = await runCommand('key', ['list', '--user', 'demo-cgp'], env);
    expect([mistyped.code, mistyped.stderr.split('\n')[1]]).toEqual([
      1,
      'endcap: there is no user demo-cgp: users are loaded from a file users.*',
    ]);

    const set = await runCommand(
      'key',
      ['set', '--user', 'demo-cpg', '--id', id, '--label', 'till 7', '--scopes', 'jwt'],
      env,
    );
    expect(set.stdout).toMatch(/^Changed the key \w+\..*\n\w+ {2}created .*\n {4}label: till 7\n {4}scopes: jwt\n$/);
    const foreign = await runCommand('key', ['set', '--user', 'demo-cpg', '--id', id, '--accounts', '1,2'], env);
    expect(foreign.stderr).toContain('the user demo-cpg is not a member of the accounts 1, 2');

    expect((await runCommand('key', ['revoke', '--user', 'demo-cpg', '--id', id], env)).code).toBe(0);
    expect((await runCommand('key', ['list', '--user', 'demo-cpg'], env)).stdout).toContain('has been revoked');

    // the demo network may have been loaded by an earlier run of the tests
    const audit = await runCommand('audit', ['--since', '365d', '--json'], env);
    const entries = audit.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map(({ action }) => action)).toEqual(['load', 'key create', 'key set', 'key revoke']);
    const actor = `local user ${userInfo().username}`;
    expect(entries.map((entry) => entry.actor)).toEqual([actor, actor, actor, actor]);
    expect(entries.at(-2)).toMatchObject({
      subject: id,
      details: { userId: 'demo-cpg', label: 'till 7' },
    });
    expect(audit.stdout).not.toContain(key);
  });

  test('starts again with its data after SIGKILL, and ends cleanly on Ctrl-C', async () => {
    stage.child.kill('SIGKILL');
    await once(stage.child, 'exit');
    stage = await startStage(folder);
    const headers = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' };
    expect((await fetch(`${stage.base}/metadata/accounts`, { headers })).status).toBe(200);
    stage.child.kill('SIGINT');
    stage.child.kill('SIGINT'); // as npm does
    const [code] = await once(stage.child, 'exit');
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'stage.json'))).toBe(false);
  });

  test('lets running reports end on SIGTERM, and logs a short line per request', async () => {
    stage = await startStage(folder);
    const report = {
      startDate: 'latest-29d',
      endDate: 'latest',
      metrics: ['impressions'],
      dimensions: ['keyword', 'hour'],
    };
    const rest = { advertiserIds: [], filters: [], sort: [], pagination: { offset: 0, size: 10_000 } };
    const headers = {
      'Ocp-Apim-Subscription-Key': 'ecap_demo_agency',
      'Content-Type': 'application/json',
      Expect: '100-continue',
    };
    const running = request(`${stage.base}/report/all`, { method: 'POST', headers });
    running.flushHeaders();
    await once(running, 'continue'); // the stage has read the headers
    stage.child.kill('SIGTERM');
    running.end(JSON.stringify({ ...report, ...rest }));
    const [{ statusCode }] = await once(running, 'response');
    expect(statusCode).toBe(200);
    const [code] = await once(stage.child, 'exit');
    expect(code).toBe(0);
    expect(stage.printed()).toMatch(
      /^\d\d:\d\d:\d\d 200 POST \/report\/\{experience_name\} demo-agency \d+ ms [\d.]+ read units$/m,
    );
  });

  test('may have ended when npm run key runs, which then opens the data folder itself', async () => {
    const { stdout, stderr } = await runCommand('key', ['list', '--user', 'demo-agency'], { DATA_DIR: folder });
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/Valid\.\n( {4}\w+: \d+\n)+$/),
      stderr: `keys of demo-agency in the data folder ${folder}\n`,
    });
  });

  test('shows the demo keys only if the demo’s users exist when it starts', async () => {
    stage = await startStage(folder);
    expect(stage.printed()).toContain(
      'Demo keys: ecap_demo_agency (Agency planner, user demo-agency), ecap_demo_cpg (Brand manager, user demo-cpg)',
    );
    expect(await (await fetch(`${stage.base}/docs`)).text()).toContain('the demo key <code>ecap_demo_agency</code>');
    using own = folderOf({ users: [{ userId: 'ann', name: 'Ann', userType: 'CPG', accountIds: [1001] }] });
    expect((await runCommand('load', [own.path], { DATA_DIR: folder })).code).toBe(0);
    stage.child.kill('SIGTERM');
    await once(stage.child, 'exit');
    stage = await startStage(folder);
    expect(await (await fetch(`${stage.base}/docs`)).text()).not.toContain('demo key');
    expect(stage.printed()).not.toContain('ecap_demo');
    expect(stage.printed()).toMatch(
      /^Create a key for one of your users: {2}DATA_DIR=\S+ npm run key -- create --user ID$/m,
    );
  });

  test('ends when npm’s shell is killed by a signal, which the shell does not pass on', async () => {
    stage.child.kill('SIGTERM');
    await once(stage.child, 'exit');
    stage = await startStage(folder, { throughShell: true });
    expect(existsSync(join(folder, 'stage.json'))).toBe(true);
    stage.child.kill('SIGTERM');
    await vi.waitFor(() => expect(existsSync(join(folder, 'stage.json'))).toBe(false), PATIENT);
    await vi.waitFor(() => expect(fetch(stage.base)).rejects.toThrow('fetch failed'), PATIENT);
  });
});

test('npm start -- --no-demo loads no demo, then or later, and says how to load data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-own-'));
  for (const args of [['--no-demo'], []]) {
    const { child, printed } = await startStage(folder, { args });
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(printed()).not.toContain('demo');
    expect(printed()).toMatch(/^Load a folder with your data: {8}DATA_DIR=\S+ npm run load -- FOLDER$/m);
  }
  rmSync(folder, { recursive: true, force: true });
});
