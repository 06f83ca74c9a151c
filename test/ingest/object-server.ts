import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { useLocalCredentials } from '../support/table.ts';

/**
 * The part of S3's protocol that the product uses, in memory: HEAD, GET with a range and If-Match, PUT with a SHA-256. Requests are not
 * authenticated, and other requests are rejected. The tests of the deployed stack make the same calls to another implementation.
 */
export interface ObjectServer {
  readonly endpoint: string;
  /** Content by key. */
  readonly objects: Map<string, Buffer>;
  /** The requests so far, as `GET key`. */
  readonly requests: string[];
  /** Called before each response. @returns a fault to respond with, or undefined for the normal response */
  intercept: (request: { method: string; key: string; count: number }) => Fault | undefined;
  /** Called when an object was written, with its ETag, as in S3's event. */
  onCreated: (key: string, etag: string) => void;
}

/** `cut`: the connection is closed after this number of bytes. */
export type Fault = { readonly status: number } | { readonly cut: number };

export const BUCKET = 'folders';

/** Runs a server during the tests of the calling file, and resets it before each of them. */
export function useObjectServer(): ObjectServer {
  useLocalCredentials();
  const counts = new Map<string, number>();
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = createServer((request, response) => void respond(request, response));
  const self: ObjectServer = {
    get endpoint() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('the server is not listening yet');
      return `http://127.0.0.1:${address.port}`;
    },
    objects,
    requests,
    intercept: () => undefined,
    onCreated: () => undefined,
  };
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    counts.clear();
    objects.clear();
    requests.length = 0;
    self.intercept = () => undefined;
    self.onCreated = () => undefined;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return self;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', self.endpoint).pathname);
    const { method = 'GET' } = request;
    const key = path.slice(`/${BUCKET}/`.length);
    const line = `${method} ${key}`;
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    requests.push(line);
    const body = Buffer.concat(await Array.fromAsync(request));
    if (!path.startsWith(`/${BUCKET}/`)) return reject(response, 404, 'NoSuchBucket');
    const fault = self.intercept({ method, key, count });
    if (fault !== undefined && 'status' in fault) return reject(response, fault.status, 'Injected');
    if (method === 'PUT') return put(key, body, request, response);
    if (method === 'GET' || method === 'HEAD') return get(key, request, response, fault?.cut);
    return reject(response, 501, 'NotImplemented');
  }

  function put(key: string, body: Buffer, request: IncomingMessage, response: ServerResponse): void {
    const sum = request.headers['x-amz-checksum-sha256'];
    if (sum !== undefined && sum !== sha256(body)) {
      reject(response, 400, 'BadDigest');
      return;
    }
    objects.set(key, body);
    response.writeHead(200, { etag: etagOf(body) }).end();
    self.onCreated(key, etagOf(body).replaceAll('"', ''));
  }

  function get(key: string, request: IncomingMessage, response: ServerResponse, cut?: number): void {
    const object = objects.get(key);
    if (object === undefined) {
      reject(response, 404, 'NoSuchKey');
      return;
    }
    const wanted = request.headers['if-match'];
    if (wanted !== undefined && wanted !== etagOf(object)) {
      reject(response, 412, 'PreconditionFailed');
      return;
    }
    const [, first = '0', last = String(object.length - 1)] =
      /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const body = object.subarray(Number(first), Number(last) + 1);
    const checksum =
      request.headers['x-amz-checksum-mode'] === 'ENABLED' ? { 'x-amz-checksum-sha256': sha256(object) } : {};
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      'content-length': body.length,
      etag: etagOf(object),
      ...checksum,
    });
    if (request.method === 'HEAD') response.end();
    else if (cut === undefined) response.end(body);
    else response.write(body.subarray(0, cut), () => response.destroy());
  }
}

function reject(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}
