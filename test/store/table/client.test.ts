import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import { type Meter, openTable, type Table } from '../../../shared/store/table/table.ts';
import { openMemoryTable } from '../../support/memory-table.ts';
import { startServer } from '../../support/start-server.ts';
import { ENGINES } from '../../support/table.ts';
import { useTable } from '../../support/use-engine.ts';

const startMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, calls: 0 });

describe.each([...ENGINES, 'memory' as const])('a table on %s', (name) => {
  const made = name === 'memory' ? openMemoryTable('test') : useTable(name);

  test('returns items as they were put, with numbers, text, bytes, lists and maps', async () => {
    const item = {
      pk: 'a',
      sk: 'b',
      n: 1.5,
      text: 'ü#',
      bytes: Uint8Array.of(0, 255),
      list: [1, 'x'],
      member: { deep: null },
    };
    await made.table.put({ ...item, absent: undefined });
    expect(await made.table.get({ pk: 'a', sk: 'b' }, { consistent: true })).toEqual(item);
    expect(await made.table.get({ pk: 'a', sk: 'c' }, { consistent: false })).toBeUndefined();
  });

  test('reads 100 keys per call and returns one member per key, including repeated and missing keys', async () => {
    const items = Array.from({ length: 250 }, (_, index) => ({
      pk: 'many',
      sk: String(index).padStart(3, '0'),
      index,
    }));
    await made.table.putMany(items);
    const meter = startMeter();
    const keys = [...items.toReversed(), { pk: 'many', sk: 'none' }, { pk: 'many', sk: '000' }];
    const found = await made.table.metered(meter).getMany(keys, { consistent: true });
    expect(found).toEqual([...items.toReversed(), undefined, items[0]]);
    expect(meter).toEqual({ readUnits: 251, writeUnits: 0, calls: 3 }); // a missing item costs one unit, too
    await made.table.deleteMany(items.slice(1));
    expect(await made.table.query({ pk: 'many', consistent: true })).toEqual(items.slice(0, 1));
  });

  test('reads all pages of a range, up to its bounds and limit', async () => {
    const items = Array.from({ length: 9 }, (_, index) => ({
      pk: 'wide',
      sk: String(index),
      bytes: new Uint8Array(300_000),
    }));
    await made.table.putMany(items);
    const sortKeys = async (range: object) =>
      (await made.table.query({ pk: 'wide', consistent: true, ...range })).map(({ sk }) => sk);
    expect(await sortKeys({})).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
    expect(await sortKeys({ from: '2', to: '6' })).toEqual(['2', '3', '4', '5', '6']);
    expect(await sortKeys({ from: '7' })).toEqual(['7', '8']);
    expect(await sortKeys({ to: '1' })).toEqual(['0', '1']);
    expect(await sortKeys({ limit: 5 })).toEqual(['0', '1', '2', '3', '4']);
  });

  test('returns false if a condition does not hold', async () => {
    const key = { pk: 'if', sk: 'x' };
    const absent = { text: 'attribute_not_exists(#pk)' };
    expect(await made.table.put({ ...key, count: 1 }, absent)).toBe(true);
    expect(await made.table.put({ ...key, count: 2 }, absent)).toBe(false);
    const more = { text: 'SET #count = #count + :more', values: { more: 5 } };
    expect(await made.table.update(key, more, { text: '#count = :is', values: { is: 7 } })).toBe(false);
    expect(await made.table.update(key, more, { text: '#count = :is', values: { is: 1 } })).toBe(true);
    expect(await made.table.get(key, { consistent: true })).toEqual({ ...key, count: 6 });
    expect(await made.table.delete(key, { text: '#count = :is', values: { is: 1 } })).toBe(false);
    expect(await made.table.delete(key, { text: '#count = :is', values: { is: 6 } })).toBe(true);
    expect(await made.table.get(key, { consistent: true })).toBeUndefined();
  });

  test('adds to attributes, sets and removes them in one update, and returns the item', async () => {
    const key = { pk: 'update', sk: 'x' };
    const begun = await made.table.updateAndGet(key, {
      text: 'ADD #n :n SET #map = :map',
      values: { n: 2, map: { deep: 1 } },
    });
    expect(begun).toEqual({ ...key, n: 2, map: { deep: 1 } });
    const text = 'ADD #n :n, #m :m SET #map.#deep = #map.#deep + :n REMOVE #absent';
    expect(await made.table.updateAndGet(key, { text, values: { n: 3, m: -1 } })).toEqual({
      ...{ ...key, n: 5, m: -1 },
      map: { deep: 4 },
    });
    expect(await made.table.updateAndGet(key, { text: 'REMOVE #map, #n' })).toEqual({ ...key, m: -1 });
    expect(await made.table.get(key, { consistent: true })).toEqual({ ...key, m: -1 });
  });

  test('compares numbers and texts in conditions, and none that is absent', async () => {
    const key = { pk: 'compare', sk: 'x' };
    await made.table.put({ ...key, n: 9, text: '2026-03-02' });
    const holds = (text: string, values: Readonly<Record<string, unknown>>) =>
      made.table.update(key, { text: 'SET #seen = :seen', values: { seen: true } }, { text, values });
    expect(await holds('#n < :n', { n: 10 })).toBe(true);
    expect(await holds('#n <= :n', { n: 8 })).toBe(false);
    expect(await holds('#text < :text', { text: '2026-03-10' })).toBe(true);
    expect(await holds('#none < :n', { n: 10 })).toBe(false);
    expect(await holds('attribute_not_exists(#none) OR #none < :n', { n: 10 })).toBe(true);
    expect(await holds('attribute_not_exists(#n) OR (#n = :n AND #text < :text)', { n: 9, text: '2026' })).toBe(false);
  });

  test('throws ValidationException for what DynamoDB rejects', async () => {
    const key = { pk: 'invalid', sk: 'x' };
    const reject = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ name: 'ValidationException' });
    await reject(made.table.put({ ...key, bytes: new Uint8Array(410_000) }));
    await reject(made.table.put({ ...key, sk: '' }));
    await reject(made.table.putMany([key, key]));
    await reject(made.table.update(key, { text: 'SET #a = #b + :n', values: { n: 1 } }));
    await reject(made.table.update(key, { text: 'SET #a.#b = :n', values: { n: 1 } }));
    expect(await made.table.get(key, { consistent: true })).toBeUndefined();
  });

  test('counts capacity units of reads and writes in every meter', async () => {
    const [outer, inner] = [startMeter(), startMeter()];
    const table = made.table.metered(outer);
    await table.metered(inner).put({ pk: 'meter', sk: '1', text: 'x'.repeat(1_500) });
    await table.get({ pk: 'meter', sk: '1' }, { consistent: true });
    await table.query({ pk: 'meter', consistent: false });
    expect(inner).toEqual({ readUnits: 0, writeUnits: 2, calls: 1 });
    expect(outer).toEqual({ readUnits: 1.5, writeUnits: 2, calls: 3 });
  });
});

describe('a table on a scripted server', () => {
  let stop = async () => {};
  afterEach(() => stop());

  /** @param requestMs how long the table waits for a response. @returns a table whose server responds with `respond` */
  const serve = async (
    respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
    requestMs = 20_000,
  ) => {
    useLocalCredentials();
    const server = await startServer(async (request, response) => respond(request, response, await text(request)));
    let stopped: PromiseLike<void> | undefined;
    stop = async () => (stopped ??= server[Symbol.asyncDispose]());
    return openTable({ tableName: 't', endpoint: server.endpoint, region: 'us-east-1', requestMs, attempts: 2 });
  };

  const send = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  };

  const busy = { code: 'STORE_BUSY', status: 503, headers: { 'Retry-After': '1' } };
  const read = (table: Table) => table.get({ pk: 'a', sk: 'b' }, { consistent: true });

  test('throws STORE_BUSY when there is no response', async () => {
    const table = await serve(() => {}, 150);
    await expect(read(table)).rejects.toMatchObject(busy);
  });

  test.each([
    [400, 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'],
    [400, 'com.amazon.coral.availability#ThrottlingException'],
    [500, 'com.amazonaws.dynamodb.v20120810#InternalServerError'],
  ])('retries after %d %s and then throws STORE_BUSY', async (status, type) => {
    let requests = 0;
    const table = await serve((_request, response) => {
      requests += 1;
      send(response, status, { __type: type, message: 'no' });
    });
    await expect(read(table)).rejects.toMatchObject(busy);
    expect(requests).toBe(2);
  });

  test('throws STORE_BUSY when the server is unreachable', async () => {
    const table = await serve(() => {});
    await stop();
    await expect(read(table)).rejects.toMatchObject(busy);
  });

  test('decodes bytes itself, without the SDK’s check of their text, which takes longer than decoding', async () => {
    // the SDK rejects base64 without padding
    const unpadded = { pk: { S: 'a' }, sk: { S: 'b' }, bytes: { B: 'AQI' } };
    const table = await serve((_request, response) => send(response, 200, { Item: unpadded }));
    expect(await read(table)).toEqual({ pk: 'a', sk: 'b', bytes: Uint8Array.of(1, 2) });
  });

  test('throws the SDK’s own error for an invalid request', async () => {
    const table = await serve((_request, response) =>
      send(response, 400, { __type: 'com.amazon.coral.validate#ValidationException', message: 'wrong' }),
    );
    await expect(read(table)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('throws the signal’s reason when it aborts', async () => {
    const table = await serve(() => {});
    const deadline = new AbortController();
    const reading = read(table.withSignal(deadline.signal));
    const reason = new Error('the deadline is exceeded');
    setTimeout(() => deadline.abort(reason), 20);
    await expect(reading).rejects.toBe(reason);
    await expect(read(table.withSignal(deadline.signal))).rejects.toBe(reason);
  });

  test('repeats the unprocessed part of a batch', async () => {
    const written: string[] = [];
    const table = await serve((request, response, body) => {
      const { RequestItems } = JSON.parse(body);
      if (String(request.headers['x-amz-target']).endsWith('BatchGetItem')) {
        const [key, ...left] = RequestItems.t.Keys;
        const UnprocessedKeys = left.length === 0 ? {} : { t: { Keys: left } };
        send(response, 200, { Responses: { t: [key] }, UnprocessedKeys });
      } else {
        const [first, ...left] = RequestItems.t;
        written.push(first.PutRequest.Item.sk.S);
        send(response, 200, { UnprocessedItems: left.length === 0 ? {} : { t: left } });
      }
    });
    const keys = ['1', '2', '3', '4', '5'].map((sk) => ({ pk: 'a', sk }));
    expect(await table.getMany(keys, { consistent: true })).toEqual(keys);
    await table.putMany(keys);
    expect(written).toEqual(['1', '2', '3', '4', '5']);
  });

  test('throws STORE_BUSY when a batch is never processed', async () => {
    const table = await serve((_request, response, body) =>
      send(response, 200, { UnprocessedItems: JSON.parse(body).RequestItems }),
    );
    await expect(table.putMany([{ pk: 'a', sk: 'b' }])).rejects.toMatchObject(busy);
  });
});
