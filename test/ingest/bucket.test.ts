import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Bucket, ObjectChangedError, openBucket, type PinnedObject } from '../../shared/ingest/bucket.ts';
import { BUCKET, useObjectServer } from './object-server.ts';

const server = useObjectServer();
let bucket: Bucket;
beforeAll(() => {
  bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
});

const never = new AbortController().signal;
const hash = (bytes: Uint8Array, form: 'hex' = 'hex') => createHash('sha256').update(bytes).digest(form);
const contentOf = (bytes: Buffer) => ({ bytes: bytes.length, sha256: hash(bytes), open: () => Readable.from([bytes]) });

/** Puts an object and looks at it. */
async function putObject(key: string, bytes: Buffer): Promise<PinnedObject> {
  await bucket.writeFile(key, contentOf(bytes), never);
  const object = await bucket.look(key);
  if (object === undefined) throw new Error('it is not there');
  return object;
}

async function readAll(object: PinnedObject, range?: { start: number; end: number }): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bucket.read(object, range)));
}

describe('an object', () => {
  test('is looked at, with its size, ETag and SHA-256', async () => {
    const bytes = Buffer.from('id,name\n1,Ä\n');
    expect(await putObject('a b/ü.csv', bytes)).toEqual({
      key: 'a b/ü.csv',
      bytes: 13,
      etag: createHash('md5').update(bytes).digest('hex'),
      sha256: hash(bytes),
    });
    expect(await bucket.look('a b/none.csv')).toBe(undefined);
    expect(await bucket.readText('a b/none.csv')).toBe(undefined);
  });

  test.each([
    ['whole', undefined, 'abcdefghij'],
    ['from 2 to before 5', { start: 2, end: 5 }, 'cde'],
    ['beyond its end', { start: 8, end: 100 }, 'ij'],
    ['an empty range', { start: 4, end: 4 }, ''],
  ])('is read %s', async (_, range, text) => {
    const object = await putObject('letters', Buffer.from('abcdefghij'));
    expect((await readAll(object, range)).toString()).toBe(text);
  });

  test('that is empty is read without a request', async () => {
    const object = await putObject('empty', Buffer.alloc(0));
    expect(await readAll(object)).toEqual(Buffer.alloc(0));
    expect(server.requests).toEqual(['PUT empty', 'HEAD empty']);
  });

  test('is read on from where the connection broke', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    const object = await putObject('long', bytes);
    server.intercept = ({ method, count }) => (method === 'GET' && count <= 3 ? { cut: 70_000 } : undefined);
    const pieces = await readAll(object);
    expect(pieces.equals(bytes)).toBe(true);
    expect(server.requests.filter((it) => it === 'GET long')).toHaveLength(4);
  });

  test('that breaks off again and again is given up, saying which', async () => {
    const object = await putObject('broken', Buffer.from('abc'));
    server.intercept = ({ method }) => (method === 'GET' ? { cut: 0 } : undefined);
    await expect(readAll(object)).rejects.toThrow('broken of the bucket folders cannot be read');
  }, 20_000);

  test('that was written again after it was looked at is not read', async () => {
    const object = await putObject('changing', Buffer.from('before'));
    await putObject('changing', Buffer.from('after!'));
    await expect(readAll(object)).rejects.toThrow(new ObjectChangedError('changing'));
  });

  test('that was deleted after it was looked at is not read', async () => {
    const object = await putObject('going', Buffer.from('before'));
    server.objects.delete('going');
    await expect(readAll(object)).rejects.toThrow(ObjectChangedError);
  });

  test('of more bytes than are expected is no text', async () => {
    await putObject('large', Buffer.alloc(11));
    await expect(bucket.readText('large', 10)).rejects.toThrow('large has 11 bytes; at most 10 are read');
  });
});

describe('a file', () => {
  test('is sent again from its beginning when the network fails', async () => {
    const bytes = Buffer.alloc(200_000, 7);
    server.intercept = ({ method, count }) => (method === 'PUT' && count <= 2 ? { status: 503 } : undefined);
    await bucket.writeFile('sent', contentOf(bytes), never);
    expect(server.objects.get('sent')?.equals(bytes)).toBe(true);
  });

  test('of other bytes than its SHA-256 says is refused', async () => {
    const content = { ...contentOf(Buffer.from('abc')), sha256: hash(Buffer.from('abd')) };
    await expect(bucket.writeFile('wrong', content, never)).rejects.toThrow('BadDigest');
    expect(server.requests).toEqual(['PUT wrong']);
  });

  test('is not sent when nobody wants it any more', async () => {
    const gone = AbortSignal.abort(new Error('interrupted'));
    await expect(bucket.writeFile('late', contentOf(Buffer.from('abc')), gone)).rejects.toThrow('interrupted');
    expect(server.requests).toEqual([]);
  });
});
