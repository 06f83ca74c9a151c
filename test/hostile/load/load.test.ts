import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/config/routes.ts';
import type { RunningStage } from '../../../infra/local/data-dir.ts';
import { createKey } from '../../../shared/identity/api-keys.ts';
import type { Random } from '../../oracle/random/random.ts';
import { IS_LONG, printFigures, randomOf } from '../support/budget.ts';
import { demoRequests, NO_LIMITS } from '../support/demo-requests.ts';
import { openRestartableStage, type RestartableStage } from '../support/restartable-stage.ts';
import { memoryFigures, processorSeconds, residentMb, sendTo, serverErrors, Tally } from './measure.ts';

const SECONDS = IS_LONG ? 180 : 25;
/** Memory is measured after this share of the time, when caches are filled, threads run and code is compiled. */
const WARM_UP = 0.3;
const CONNECTIONS = 50;
/** The connections whose key sends more requests than its limit allows. */
const OVER_LIMIT = 10;
const LIMITED_RPM = 60;
/** Each function admits up to 20 requests in a minute before it learns what the others have admitted. */
const MAX_UNSETTLED = 20 * new Set(ROUTES.map((route) => route.function)).size;
const ATTACKERS = 2;
const USER_PAUSE_MS = 250;
const MAX_MB = 1_536;

const currentMinute = () => Math.floor(Date.now() / 60_000);

let stage: RestartableStage;
let running: RunningStage;
beforeAll(async () => {
  stage = await openRestartableStage({ demo: true });
  running = await stage.start();
  const table = await stage.table();
  await createKey(table, 'osprey-row', { key: 'key-busy', ...NO_LIMITS });
  await createKey(table, 'demo-cpg', { key: 'key-over', requestsPerMinute: LIMITED_RPM });
});
afterAll(() => stage.close());

test('under load and attack there is no 5xx before a time limit, memory stays flat, and users within their limits get their responses', async () => {
  const tallies = { busy: new Tally(), over: new Tally(), within: new Tally(), attacks: new Tally() };
  const requests = demoRequests(randomOf(500), 2_000);
  const startMinute = currentMinute();
  const end = performance.now() + SECONDS * 1_000;
  const isOver = () => performance.now() >= end;
  const stop = new AbortController();
  const client = async (key: string, tally: Tally, first: number, pauseMs: number) => {
    for (let i = first; !isOver(); i++) {
      const request = requests[i % requests.length];
      if (request === undefined) throw new Error('there are no requests');
      const startedAt = performance.now();
      tally.add(await sendTo(running.url, request, key), performance.now() - startedAt);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const target = {
    port: Number(new URL(running.url).port),
    onStatus: (status: number) => tallies.attacks.add(status, 0),
  };
  const attacker = async (name: (typeof ATTACK_NAMES)[number], part: number) => {
    const random = randomOf(600 + part);
    let count = 0;
    for (; !isOver(); count++) {
      await ATTACKS[name](target, random, stop.signal);
      await sleep(random.int(300));
    }
    return count;
  };
  const memory: number[] = [];
  const watch = async () => {
    await sleep(SECONDS * 1_000 * WARM_UP);
    for (; !isOver(); await sleep(250)) memory.push(residentMb(running.pid));
  };
  const attacks = Promise.all(
    Array.from({ length: ATTACKERS }).flatMap((_, i) =>
      ATTACK_NAMES.map((name, part) => attacker(name, i * 10 + part)),
    ),
  );
  setTimeout(() => stop.abort(), SECONDS * 1_000);
  await Promise.all([
    ...Array.from({ length: CONNECTIONS - OVER_LIMIT }, (_, i) => client('key-busy', tallies.busy, i * 37, 0)),
    ...Array.from({ length: OVER_LIMIT }, (_, i) => client('key-over', tallies.over, i * 53, 0)),
    client('ecap_demo_agency', tallies.within, 0, USER_PAUSE_MS),
    client('ecap_demo_cpg', tallies.within, 7, USER_PAUSE_MS),
    watch(),
  ]);
  const endMinute = currentMinute();
  const attackCount = (await attacks).reduce((sum, count) => sum + count, 0);
  const { peakMb, growth } = memoryFigures(memory);
  printFigures('load', {
    seconds: SECONDS,
    ...{ requests: tallies.busy.count + tallies.over.count + tallies.within.count, attacks: attackCount },
    ...{ 'rejected with 429': tallies.over.countOf((status) => status === 429) },
    ...{ 'p50 ms': tallies.busy.quantile(0.5), 'p99 ms': tallies.busy.quantile(0.99) },
    ...{ 'users p50 ms': tallies.within.quantile(0.5), 'users p99 ms': tallies.within.quantile(0.99) },
    'server errors': serverErrors(Object.values(tallies)),
    'processor s': processorSeconds(running.pid),
    ...{ 'peak MB': peakMb, 'memory of the second half': growth.toFixed(2) },
  });
  const failures = Object.entries(tallies).map(([name, tally]) => [name, tally.failures]);
  expect(Object.fromEntries(failures)).toEqual({ busy: 0, over: 0, within: 0, attacks: 0 });
  expect(tallies.within.countOf((status) => status === 429)).toBeLessThanOrEqual(tallies.within.count / 100);
  const minutes = Math.max(endMinute - startMinute + 1, SECONDS / 60 + 1); // the limit begins anew with each minute of the clock
  const maxAdmitted = (LIMITED_RPM + MAX_UNSETTLED) * minutes;
  expect(tallies.over.countOf((status) => status !== 429)).toBeLessThanOrEqual(maxAdmitted);
  expect(tallies.attacks.countOf((status) => status >= 200 && status < 300)).toBe(0);
  expect(peakMb).toBeLessThan(MAX_MB);
  expect(growth).toBeLessThan(1.35);
});

/** What hostile clients do besides valid requests. Each ends by itself within half a minute, or when `signal` aborts. */
const ATTACKS = {
  /** Sends a request byte by byte. */
  slow: async (to: Target, _random: Random, signal: AbortSignal) => {
    await withSocket(to, signal, async (socket) => {
      for (const byte of `GET /v2/metadata/accounts HTTP/1.1\r\nHost: x\r\nX-Slow: ${'y'.repeat(500)}`) {
        if (signal.aborted || socket.destroyed) return;
        socket.write(byte);
        await sleep(40);
      }
    });
  },
  /** Opens a connection, and sends nothing. */
  idle: (to: Target, _random: Random, signal: AbortSignal) =>
    withSocket(to, signal, () => sleep(2_000, undefined, { signal }).catch(() => undefined)),
  /** A body one byte longer than the gateway's limit of 10 MiB, which it must read. */
  'large body': async (to: Target, _random: Random, signal: AbortSignal) => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1, '[');
    await exchange(to, signal, [
      `POST /v2/report/pla HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    ]);
  },
  /** A body of 9 MB is announced, of which one byte follows. */
  'no body': async (to: Target, _random: Random, signal: AbortSignal) => {
    await withSocket(to, signal, async (socket) => {
      socket.write(
        'POST /v2/report/pla HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{',
      );
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    });
  },
  '10,000 headers': async (to: Target, _random: Random, signal: AbortSignal) => {
    const headers = Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}\r\n`).join('');
    await exchange(to, signal, [`GET /v2/jwt HTTP/1.1\r\nHost: x\r\n${headers}\r\n`]);
  },
  garbage: async (to: Target, random: Random, signal: AbortSignal) => {
    const bytes = Buffer.from(Array.from({ length: 1 + random.int(4_000) }, () => random.int(256)));
    await exchange(to, signal, [bytes]);
  },
  'half a request': async (to: Target, random: Random, signal: AbortSignal) => {
    const text = 'GET /v2/metadata/accounts HTTP/1.1\r\nHost: x\r\nOcp-Apim-Subscription-Key: ecap_demo_agency\r\n\r\n';
    const part = text.slice(0, 1 + random.int(text.length - 1));
    // written to the end, because closing a socket discards what it has not sent
    await withSocket(to, signal, (socket) => new Promise((resolve) => socket.write(part, resolve)));
  },
} as const;
const ATTACK_NAMES = Object.keys(ATTACKS) as (keyof typeof ATTACKS)[]; // keyof the same literal

interface Target {
  readonly port: number;
  /** Called with the status of each response to an attack. */
  readonly onStatus: (status: number) => void;
}

/** Sends the parts, and waits for a response or the end of the connection. */
async function exchange(to: Target, signal: AbortSignal, parts: readonly (string | Buffer)[]): Promise<void> {
  await withSocket(to, signal, async (socket) => {
    for (const part of parts) socket.write(part);
    const responded = new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
    await Promise.race([responded, sleep(5_000, undefined, { signal, ref: false }).catch(() => undefined)]);
  });
}

async function withSocket(
  { port, onStatus }: Target,
  signal: AbortSignal,
  use: (socket: Socket) => Promise<unknown>,
): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // the service may close the connection at any time
  socket.on('data', (data: Buffer) => {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1')) ?? [];
    if (status !== undefined) onStatus(Number(status));
  });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop);
  try {
    await use(socket);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}
