import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { openTable, type Table } from '../../../shared/store/table/table.ts';
import { forward, sendOn } from '../../support/forward.ts';
import { type LoopbackServer, startServer } from '../../support/start-server.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { readSample, writeSample } from '../sample-load.ts';

const made = useTablePerTest();
const SILENCE_MS = 500;
let proxy: LoopbackServer;
/** Renewals are sent on once this resolves. */
let open = Promise.resolve();
beforeAll(async () => {
  proxy = await startServer((request, response) => {
    const pass = async () => {
      const body = await buffer(request);
      if (String(request.headers['x-amz-target']).endsWith('UpdateItem')) await open;
      await sendOn(await forward(request, made.endpoint, body), response);
    };
    pass().catch(() => response.destroy());
  });
});
afterAll(() => proxy[Symbol.asyncDispose]());

let slow: Table;
beforeEach(() => {
  slow = openTable({ tableName: made.tableName, endpoint: proxy.endpoint, region: 'us-east-1', requestMs: 60_000 });
});

/** Holds renewals until the returned function is called. */
function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  open = promise;
  return resolve;
}

/** A load of hours ended because the machine was busy for some seconds, although no other load was waiting. */
test('a load that renews its lease long after it has expired goes on, if no other load has taken over', async () => {
  const writer = await beginCommit(slow, { owner: 'slow', silenceMs: SILENCE_MS });
  const release = hold();
  await new Promise((resolve) => setTimeout(resolve, 4 * SILENCE_MS));
  await writeSample(writer, 1);
  release();
  await writer.finish();
  expect((await readCommit(made.table)).commit).toBe(writer.n);
});

test('a load that has been taken over meanwhile ends at its next renewal, and nothing of it is visible', async () => {
  const writer = await beginCommit(slow, { owner: 'slow', silenceMs: SILENCE_MS });
  await writeSample(writer, 1);
  const release = hold();
  const next = await beginCommit(made.table, { owner: 'next' });
  await writeSample(next, 2);
  await next.finish();
  const seen = await readSample(made.table, await readCommit(made.table));
  release();
  await expect(writer.finish()).rejects.toThrow(/lost its lease/);
  await (await beginCommit(made.table, { owner: 'later' })).finish();
  const state = await readCommit(made.table);
  expect(state).toMatchObject({ commit: next.n, aborted: new Set([writer.n]) });
  expect(await readSample(made.table, state)).toEqual(seen);
});
