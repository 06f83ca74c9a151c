import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ENGINES, openEngine } from '../../../infra/emulator/services/table-engine.ts';
import { openLocalTable } from '../../../infra/start/local-stage.ts';
import { crashDefinition } from './table-only.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-engine-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const here = process.platform === 'linux' && process.arch === 'x64' ? ENGINES : (['dynalite'] as const);

describe.each(here)('%s', (engine) => {
  test('what it has taken outlives kill −9, and nothing of it is left running', async () => {
    const writer = spawn(process.execPath, [join(import.meta.dirname, 'crash-writer.ts'), folder, engine]);
    let printed = '';
    writer.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    while (printed.split('\n').length < 40) await sleep(10);
    writer.kill('SIGKILL');
    await once(writer, 'close');
    const [endpoint = '', ...numbers] = printed.split('\n');
    const taken = numbers.length - 1; // the last is cut off, or empty
    await expect(untilRefused(endpoint)).resolves.toBe('refused');

    const { table, close } = await openLocalTable(crashDefinition, { folder, engine });
    const items = await table.query({ pk: 'n', consistent: true });
    await close();
    expect(items.length).toBeGreaterThanOrEqual(taken);
    expect(items.map(({ sk }) => Number(sk))).toEqual(items.map((_, index) => index));
  });

  test('it opens again and again, and the table stays', async () => {
    const first = await openLocalTable(crashDefinition, { folder, engine });
    await first.table.put({ pk: 'a', sk: 'b' });
    await first.close();
    const second = await openLocalTable(crashDefinition, { folder, engine });
    expect(await second.table.get({ pk: 'a', sk: 'b' }, { consistent: true })).toEqual({ pk: 'a', sk: 'b' });
    await second.close();
  });
});

test('a client that goes away in the middle of a request does no harm', async () => {
  const engine = await openEngine('dynalite');
  const client = connect(Number(new URL(engine.url).port), '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\ncut off');
  await sleep(50);
  client.resetAndDestroy();
  await sleep(50);
  expect((await fetch(engine.url)).status).toBe(200);
  await engine.close();
});

test('a table that was being made when the process died is made anew', async () => {
  mkdirSync(join(folder, 'dynalite.new'));
  writeFileSync(join(folder, 'dynalite.new', 'CURRENT'), 'cut off');
  const { table, close } = await openLocalTable(crashDefinition, { folder });
  expect(await table.get({ pk: 'a', sk: 'b' }, { consistent: true })).toBeUndefined();
  await close();
});

test('a folder that another process has is not opened', async () => {
  const first = await openLocalTable(crashDefinition, { folder });
  await expect(openLocalTable(crashDefinition, { folder })).rejects.toThrow(
    `the table in ${join(folder, 'dynalite')} cannot be opened: another process has it, or it is damaged`,
  );
  await first.close();
});

/** A program of its own ends a moment after its parent; until then it may still answer, or cut an answer off. */
async function untilRefused(endpoint: string): Promise<'refused' | 'still there'> {
  for (let tries = 0; tries < 500; tries += 1) {
    const error: unknown = await fetch(endpoint).then(
      () => undefined,
      (reason) => reason.cause,
    );
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return 'refused';
    await sleep(20);
  }
  return 'still there';
}
