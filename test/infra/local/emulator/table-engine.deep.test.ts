import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKms } from '../../../../infra/local/emulator/services/kms.ts';
import { openEngine } from '../../../../infra/local/emulator/services/table-engine.ts';
import { openLocalTable } from '../../../../infra/local/local-stage.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-engine-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('dynalite', () => {
  test('keeps what it has accepted when its process is killed with SIGKILL, and leaves no process behind', async () => {
    const writer = spawn(process.execPath, [join(import.meta.dirname, 'crash-writer.ts'), folder]);
    let printed = '';
    writer.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    while (printed.split('\n').length < 40) await sleep(10);
    writer.kill('SIGKILL');
    await once(writer, 'close');
    const [endpoint = '', ...numbers] = printed.split('\n');
    const accepted = numbers.length - 1; // the last line is empty or cut off
    await untilConnectionRefused(endpoint);

    const { table, close } = await openLocalTable({ folder });
    const items = await table.query({ pk: 'n', consistent: true });
    await close();
    expect(items.length).toBeGreaterThanOrEqual(accepted);
    expect(items.map(({ sk }) => Number(sk))).toEqual(items.map((_, index) => index));
  });

  test('keeps the table when it is closed and opened again', async () => {
    const first = await openLocalTable({ folder });
    await first.table.put({ pk: 'a', sk: 'b' });
    await first.close();
    const second = await openLocalTable({ folder });
    expect(await second.table.get({ pk: 'a', sk: 'b' }, { consistent: true })).toEqual({ pk: 'a', sk: 'b' });
    await second.close();
  });
});

test('the code of dynalite’s native module remains loaded when its thread ends, because a thread of the module may still run it', async () => {
  const engine = await openEngine(join(folder, 'data'));
  await engine.close();
  const report: { readonly sharedObjects: readonly string[] } = Object(process.report.getReport());
  expect(report.sharedObjects.filter((path) => path.includes('classic-level'))).toHaveLength(1);
});

test('queries of dynalite leave no memory behind, although dynalite itself does not close their iterators', async () => {
  const { table, close } = await openLocalTable({ folder });
  const data = new Uint8Array(8_000).fill(7);
  await table.putMany(Array.from({ length: 600 }, (_, i) => ({ pk: `p${i % 20}`, sk: `s${i}`, data })));
  const query = async (count: number) => {
    for (let i = 0; i < count; i += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, k) => table.query({ pk: `p${k}`, consistent: true, limit: 10 })),
      );
    }
    return process.memoryUsage().rss / 1e6;
  };
  const before = await query(1_000);
  expect((await query(3_000)) - before).toBeLessThan(160); // MB; iterators that are not closed take about 270 more
  await close();
});

test('dynalite survives a client that disconnects during a request', async () => {
  const engine = await openEngine();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const client = connect(Number(new URL(engine.url).port), '127.0.0.1');
    await once(client, 'connect');
    await new Promise<void>((resolve) =>
      client.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\ncut off', () => resolve()),
    );
    expect((await fetch(engine.url)).status).toBe(200); // by now it has read the start of the request
    client.resetAndDestroy();
    expect((await fetch(engine.url)).status).toBe(200);
  }
  await engine.close();
});

test.each([
  ['a page of another site', { Origin: 'https://site.example' }],
  ['a page whose name resolves to the loopback address', { Host: 'site.example' }],
])('dynalite and the emulated KMS do not serve %s', async (_, headers) => {
  const engine = await openEngine();
  const kms = await openKms(new Map());
  for (const url of [engine.url, kms.url]) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await send(url, method, headers);
      expect(response.statusCode).toBe(403);
      expect(response.headers).not.toHaveProperty('access-control-allow-origin');
    }
  }
  await engine.close();
  await kms.close();
});

test('a table whose creation was interrupted is created again', async () => {
  const draft = join(folder, `dynalite.new-${process.pid}`); // of an earlier process with the same id
  mkdirSync(draft);
  writeFileSync(join(draft, 'CURRENT'), 'cut off');
  const { table, close } = await openLocalTable({ folder });
  expect(await table.get({ pk: 'a', sk: 'b' }, { consistent: true })).toBeUndefined();
  await close();
  expect(readdirSync(folder)).toEqual(['dynalite']);
});

test('a folder whose table is open is not opened a second time', async () => {
  const first = await openLocalTable({ folder });
  await expect(openLocalTable({ folder })).rejects.toThrow(
    `the table in ${join(folder, 'dynalite')} cannot be opened: another load or process uses it, or it is damaged`,
  );
  await first.close();
});

/** Unlike fetch, this can send any Host. */
async function send(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const sent = request(url, { method, headers });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('there is no response');
  return response.resume();
}

/** The test's time limit ends the loop. */
async function untilConnectionRefused(endpoint: string): Promise<void> {
  for (;;) {
    const error: unknown = await fetch(endpoint).then(
      () => undefined,
      (reason) => reason.cause,
    );
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return;
    await sleep(20);
  }
}
