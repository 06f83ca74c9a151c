import { createHash } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Bucket, openBucket } from '../../shared/ingest/bucket.ts';
import { type SendOptions, sendFolder } from '../../shared/ingest/send-folder.ts';
import { folderOf, makeFolder } from '../load/support/folder.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';

const MB = 1 << 20;

const server = useObjectServer();
let bucket: Bucket;
beforeAll(() => {
  bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
});

/** @returns the last reported progress */
async function send(folder: string, options: Partial<SendOptions> = {}): Promise<{ done: number; total: number }> {
  let last = { done: 0, total: 0 };
  const onProgress = (done: number, total: number) => {
    last = { done, total };
  };
  const signal = new AbortController().signal;
  await sendFolder({ folder, bucket, prefix: 'f/', id: 'first', signal, onProgress, ...options });
  return last;
}

/** @returns bytes in which no two parts are equal */
function bytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i += 4) bytes.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);
  return bytes;
}

/** @returns a folder with one file, `large.csv`, and the file's content */
function folderWith(size: number): ReturnType<typeof makeFolder> & { content: Buffer } {
  const content = bytesOf(size);
  const folder = makeFolder();
  writeFileSync(join(folder.path, 'large.csv'), content);
  return Object.assign(folder, { content });
}

const requestsOf = (method: string, key: string) =>
  server.requests.filter((request) => request.startsWith(`${method} ${key}`));

describe('a file', () => {
  test('whose name the ingestion would reject is reported before anything is sent', async () => {
    using folder = folderWith(12);
    writeFileSync(join(folder.path, 'old\\notes.txt'), '');
    await expect(send(folder.path)).rejects.toThrow(
      /^the file "old\\\\notes\.txt" cannot be sent: its name must be a relative path .* without backslashes and control characters$/,
    );
    expect(server.requests).toEqual([]);
  });

  test('that cannot be read is reported with its name before anything is sent', async () => {
    using folder = folderWith(12);
    symlinkSync('renamed.csv', join(folder.path, 'users.csv'));
    const path = join(folder.path, 'users.csv');
    await expect(send(folder.path)).rejects.toThrow(`${path} is a link to something that does not exist`);
    expect(server.requests).toEqual([]);
  });

  test('of several parts is sent in parts of 5 MiB, and is not sent again by the next upload', async () => {
    using folder = folderWith(20 * MB);
    expect(await send(folder.path)).toEqual({ done: 20 * MB, total: 20 * MB });
    expect(server.objects.get('f/large.csv')?.equals(folder.content)).toBe(true);
    expect(requestsOf('PUT', 'f/large.csv').sort()).toEqual(
      [1, 2, 3, 4].map((part) => `PUT f/large.csv?partNumber=${part}`),
    );
    const sha256 = createHash('sha256').update(folder.content).digest('hex');
    const ready = { id: 'first', files: [{ name: 'large.csv', bytes: 20 * MB, sha256 }] };
    expect(JSON.parse(String(server.objects.get('f/_READY')))).toEqual(ready);

    server.requests.length = 0;
    expect(await send(folder.path)).toEqual({ done: 20 * MB, total: 20 * MB });
    expect(server.requests).toEqual(['HEAD f/large.csv', 'PUT f/_READY']);
  });

  test('of one part is sent in one request, and an empty file as well', async () => {
    using folder = folderWith(3 * MB);
    folder.write('accounts.csv', '');
    await send(folder.path);
    expect(server.objects.get('f/large.csv')?.equals(folder.content)).toBe(true);
    expect(server.objects.get('f/accounts.csv')).toEqual(Buffer.alloc(0));
    expect(server.requests.filter((request) => request.includes('?'))).toEqual([]);
  });

  test('that another program has written with the same size is sent again', async () => {
    using folder = folderWith(1000);
    server.objects.set('f/large.csv', Buffer.alloc(1000));
    await send(folder.path);
    expect(server.objects.get('f/large.csv')?.equals(folder.content)).toBe(true);
  });

  test('whose second part is rejected once is complete after that part alone was sent again', async () => {
    server.intercept = ({ query, count }) =>
      query.includes('partNumber=2') && count === 1 ? { status: 503 } : undefined;
    using folder = folderWith(20 * MB);
    expect(await send(folder.path)).toEqual({ done: 20 * MB, total: 20 * MB });
    expect(server.objects.get('f/large.csv')?.equals(folder.content)).toBe(true);
    expect(requestsOf('PUT', 'f/large.csv').sort()).toEqual(
      [1, 2, 2, 3, 4].map((part) => `PUT f/large.csv?partNumber=${part}`),
    );
  });

  test('that S3 rejects with status 403 is not sent again', async () => {
    server.intercept = ({ method }) => (method === 'PUT' ? { status: 403 } : undefined);
    using folder = folderOf({ accounts: NETWORK.accounts ?? [] });
    await expect(send(folder.path)).rejects.toThrow('Injected');
    expect(requestsOf('PUT', 'f/')).toEqual(['PUT f/accounts.ndjson']);
  });

  test('that S3 rejects ends the uploads of the other files, whose parts are deleted', async () => {
    const begun = Promise.withResolvers<void>();
    server.intercept = ({ method, key, query }) => {
      if (query.includes('partNumber')) {
        begun.resolve();
        return { stallAfter: MB };
      }
      return method === 'PUT' && key === 'f/a.csv' ? { status: 403, until: begun.promise } : undefined;
    };
    using folder = folderWith(20 * MB);
    folder.write('a.csv', 'small');
    await expect(send(folder.path)).rejects.toThrow('Injected');
    expect(server.uploads.openKeys).toEqual([]);
    expect(server.objects.has('f/_READY')).toBe(false);
  });

  test('that changes while it is being sent is not stored, and the folder is not marked as complete', async () => {
    using folder = folderWith(20 * MB);
    const path = join(folder.path, 'large.csv');
    server.intercept = ({ method }) => {
      if (method === 'HEAD') writeFileSync(path, Buffer.alloc(20 * MB)); // between the two readings of the file
      return undefined;
    };
    await expect(send(folder.path)).rejects.toThrow('large.csv was changed while it was being uploaded');
    expect(server.uploads.openKeys).toEqual([]);
    expect([...server.objects.keys()]).toEqual([]);
  });
});

test('a folder with more files than _READY can list is an error before the first file is sent', async () => {
  using folder = makeFolder();
  const directory = `${'x'.repeat(240)}/`.repeat(3); // 10,000 entries with such names and a SHA-256 have more than 8 MiB
  for (let i = 0; i < 10_000; i++) folder.write(`${directory}${i}.csv`, '');
  await expect(send(folder.path)).rejects.toThrow(
    /^_READY would have \d+ bytes for 10000 files; the limit is 8388608: send the folder in parts, or with fewer files$/,
  );
  expect(server.requests).toEqual([]);
});

describe('an interrupted upload', () => {
  test('deletes the parts that it has sent', async () => {
    const interrupted = new AbortController();
    server.intercept = ({ query }) => {
      if (!query.includes('partNumber') || query.includes('partNumber=1')) return undefined;
      interrupted.abort(new Error('interrupted'));
      return { stallAfter: MB };
    };
    using folder = folderWith(30 * MB);
    await expect(send(folder.path, { signal: interrupted.signal })).rejects.toThrow('interrupted');
    expect(server.requests.at(-1)).toBe('DELETE f/large.csv?uploadId');
    expect(server.uploads.openKeys).toEqual([]);
    expect([...server.objects.keys()]).toEqual([]);
  });

  test('that has sent nothing yet sends nothing', async () => {
    using folder = folderWith(1000);
    await expect(send(folder.path, { signal: AbortSignal.abort(new Error('interrupted')) })).rejects.toThrow(
      'interrupted',
    );
    expect(server.requests).toEqual([]);
  });
});
