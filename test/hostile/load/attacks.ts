import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../oracle/random/random.ts';

/** What hostile clients do besides valid requests. Each ends by itself within half a minute, or when `signal` aborts. */
export const ATTACKS = {
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
export const ATTACK_NAMES = Object.keys(ATTACKS) as (keyof typeof ATTACKS)[]; // keyof the same literal

export interface Target {
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
