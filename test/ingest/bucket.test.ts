import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Bucket, ObjectChangedError, openBucket, type PinnedObject } from '../../shared/ingest/bucket.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';

const server = useObjectServer();
let bucket: Bucket;
beforeAll(() => {
  bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
});

/** Puts an object into the bucket and pins its content. */
async function putObject(key: string, bytes: Buffer): Promise<PinnedObject> {
  server.objects.set(key, bytes);
  const object = await bucket.head(key);
  if (object === undefined) throw new Error('the object does not exist');
  return object;
}

async function readAll(object: PinnedObject): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bucket.read(object)));
}

describe('an object', () => {
  test('has a size and an ETag, or does not exist', async () => {
    const bytes = Buffer.from('id,name\n1,Ä\n');
    expect(await putObject('a b/ü.csv', bytes)).toEqual({
      key: 'a b/ü.csv',
      bytes: 13,
      etag: createHash('md5').update(bytes).digest('hex'),
      sha256: undefined,
    });
    expect(await bucket.head('a b/none.csv')).toBe(undefined);
    expect(await bucket.readText('a b/none.csv')).toBe(undefined);
  });

  test('that is empty is read without a request', async () => {
    const object = await putObject('empty', Buffer.alloc(0));
    expect(await readAll(object)).toEqual(Buffer.alloc(0));
    expect(server.requests).toEqual(['HEAD empty']);
  });

  test('is read on from the position where the connection broke', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    const object = await putObject('long', bytes);
    const starts: number[] = [];
    server.intercept = ({ range = '', count }) => {
      starts.push(Number(/^bytes=(\d+)-299999$/.exec(range)?.[1]));
      return count <= 3 ? { cut: 70_000 } : undefined;
    };
    const read = await readAll(object);
    expect(read.equals(bytes)).toBe(true);
    expect(starts).toHaveLength(4);
    expect(starts[0]).toBe(0);
    // a client may discard the last bytes that it received before the connection broke
    for (const [at, start] of starts.slice(1).entries()) expect(start).toBeGreaterThan(starts[at] ?? 0);
  });

  test('whose connection breaks repeatedly is an error that names it', async () => {
    const object = await putObject('broken', Buffer.from('abc'));
    server.intercept = ({ method }) => (method === 'GET' ? { cut: 0 } : undefined);
    await expect(readAll(object)).rejects.toThrow('broken in the bucket folders cannot be read');
  });

  test('that has changed since it was pinned is not read', async () => {
    const object = await putObject('changing', Buffer.from('before'));
    await putObject('changing', Buffer.from('after!'));
    await expect(readAll(object)).rejects.toThrow(new ObjectChangedError('changing'));
  });

  test('that was deleted since it was pinned is not read', async () => {
    const object = await putObject('going', Buffer.from('before'));
    server.objects.delete('going');
    await expect(readAll(object)).rejects.toThrow(ObjectChangedError);
  });

  test('that is larger than the limit is not read as text', async () => {
    await putObject('large', Buffer.alloc((8 << 20) + 1));
    await expect(bucket.readText('large')).rejects.toThrow('large has 8388609 bytes; the limit is 8388608');
  });
});
