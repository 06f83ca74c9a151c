import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach } from 'vitest';
import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import { useServer } from './use-server.ts';

/**
 * The part of S3's protocol that the product uses, in memory: HEAD, GET with a range and If-Match, PUT with a SHA-256, uploads in parts. Requests are
 * not authenticated, and other requests are rejected.
 */
export interface ObjectServer {
  readonly endpoint: string;
  /** Content by key. */
  readonly objects: Map<string, Buffer>;
  /** When objects were written, by key; of the others, nothing is said. */
  readonly written: Map<string, Date>;
  /** The requests so far, as `GET key`, with the query of an upload in parts: `PUT key?partNumber=2`. */
  readonly requests: string[];
  readonly uploads: MultipartUploads;
  /**
   * Called before the body is read.
   * @param request its query begins with `?`; `range` is its header; `count` is how often this method, key and part have been requested, from 1
   * @returns a fault to respond with, or undefined for the normal response
   */
  intercept: (request: {
    method: string;
    key: string;
    query: string;
    range: string | undefined;
    count: number;
  }) => Fault | undefined;
  /** Called when an object was written, with its ETag, as in S3's event. */
  onCreated: (key: string, etag: string) => void;
}

export type Fault =
  /** The response waits for `until`. */
  | { readonly status: number; readonly code?: string; readonly message?: string; readonly until?: Promise<void> }
  /** The connection is closed after this number of bytes of the response to a GET; other requests ignore it. */
  | { readonly cut: number }
  /** The response waits for this. */
  | { readonly until: Promise<void> }
  /** The request body is not read beyond this number of bytes, and there is no response. */
  | { readonly stallAfter: number };

export const BUCKET = 'folders';

const SHA256_HEADER = 'x-amz-meta-sha256';

/** Runs a server during the tests of the calling file, and resets it before each of them. SDK clients of this process use the local credentials from now on. */
export function useObjectServer(): ObjectServer {
  useLocalCredentials();
  const counts = new Map<string, number>();
  const objects = new Map<string, Buffer>();
  const written = new Map<string, Date>();
  const requests: string[] = [];
  const uploads = new MultipartUploads();
  /** The metadata of objects. A test that sets an object's content directly acts as a program that writes no metadata. */
  const metadata = new WeakMap<Buffer, string>();
  const server = useServer((request, response) => void respond(request, response));
  const self: ObjectServer = {
    get endpoint() {
      return server.endpoint;
    },
    objects,
    written,
    requests,
    uploads,
    intercept: () => undefined,
    onCreated: () => undefined,
  };
  beforeEach(() => {
    counts.clear();
    objects.clear();
    written.clear();
    requests.length = 0;
    uploads.clear();
    self.intercept = () => undefined;
    self.onCreated = () => undefined;
  });
  return self;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', self.endpoint);
    const path = decodeURIComponent(url.pathname);
    const { method = 'GET' } = request;
    const key = path.slice(`/${BUCKET}/`.length);
    const operation = ['uploads', 'partNumber', 'uploadId'].find((name) => url.searchParams.has(name)) ?? '';
    const number = url.searchParams.get('partNumber');
    const line = `${method} ${key}${operation && `?${operation}`}${number === null ? '' : `=${number}`}`;
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    requests.push(line);
    const fault = self.intercept({ method, key, query: url.search, range: request.headers.range, count });
    const body = await readBody(request, fault).catch(() => undefined);
    if (body === undefined) return; // the client has closed the connection
    if (url.searchParams.has('list-type')) return list(url.searchParams.get('prefix') ?? '', response);
    if (fault !== undefined && 'until' in fault) await fault.until;
    if (!path.startsWith(`/${BUCKET}/`)) return reject(response, 404, 'NoSuchBucket');
    if (fault !== undefined && 'status' in fault)
      return reject(response, fault.status, fault.code ?? 'Injected', fault.message);
    if (operation !== '') return multipart(key, url.searchParams, body, request, response);
    if (method === 'PUT') return put(key, body, request, response);
    if (method === 'GET' || method === 'HEAD')
      return get(key, request, response, fault !== undefined && 'cut' in fault ? fault.cut : undefined);
    return reject(response, 501, 'NotImplemented');
  }

  /** As S3 does, apart from pages of 1,000 objects. */
  function list(prefix: string, response: ServerResponse): void {
    const found = [...objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, body]) => {
        return `<Contents><Key>${key}</Key><Size>${body.length}</Size><ETag>${etagOf(body)}</ETag></Contents>`;
      });
    respondXml(response, `<ListBucketResult>${found.join('')}</ListBucketResult>`);
  }

  function put(key: string, body: Buffer, request: IncomingMessage, response: ServerResponse): void {
    if (!matchesChecksum(body, request)) {
      reject(response, 400, 'BadDigest');
      return;
    }
    create(key, body, sha256In(request));
    response.writeHead(200, { etag: etagOf(body) }).end();
    self.onCreated(key, etagOf(body).replaceAll('"', ''));
  }

  function create(key: string, body: Buffer, sha256: string | undefined): void {
    objects.set(key, body);
    if (sha256 !== undefined) metadata.set(body, sha256);
  }

  /** Responds to one of the requests of an upload in parts. */
  function multipart(
    key: string,
    query: URLSearchParams,
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const id = query.get('uploadId') ?? '';
    const part = query.get('partNumber');
    let rejected: Rejected | 'BadDigest' | undefined;
    if (query.has('uploads')) {
      const name = `<UploadId>${uploads.create(key, sha256In(request))}</UploadId>`;
      respondXml(response, `<InitiateMultipartUploadResult>${name}</InitiateMultipartUploadResult>`);
    } else if (part !== null) {
      rejected = matchesChecksum(body, request) ? uploads.put(id, Number(part), body) : 'BadDigest';
      if (rejected === undefined)
        response.writeHead(200, { etag: etagOf(body), 'x-amz-checksum-sha256': sha256Of(body) }).end();
    } else if (request.method === 'DELETE') {
      rejected = uploads.abort(id);
      if (rejected === undefined) response.writeHead(204).end();
    } else {
      const complete = uploads.complete(id, body.toString());
      if (typeof complete === 'string') rejected = complete;
      else {
        create(key, complete.body, complete.sha256);
        const etag = etagOf(complete.body);
        respondXml(response, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
        self.onCreated(key, etag.replaceAll('"', ''));
      }
    }
    if (rejected !== undefined) reject(response, rejected === 'NoSuchUpload' ? 404 : 400, rejected);
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
    const sha256 = metadata.get(object);
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      'content-length': body.length,
      etag: etagOf(object),
      ...(written.has(key) ? { 'last-modified': written.get(key)?.toUTCString() } : {}),
      ...(sha256 === undefined ? {} : { [SHA256_HEADER]: sha256 }),
    });
    if (request.method === 'HEAD') response.end();
    else if (cut === undefined) response.end(body);
    else response.write(body.subarray(0, cut), () => response.destroy());
  }
}

/** @returns the body; throws if the client closes the connection */
async function readBody(request: IncomingMessage, fault: Fault | undefined): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    pieces.push(piece);
    bytes += piece.length;
    if (fault !== undefined && 'stallAfter' in fault && bytes >= fault.stallAfter) await once(request, 'close');
  }
  return Buffer.concat(pieces);
}

/** @returns whether the body matches its checksum. A request without one is accepted only if it also lacks the SHA-256 that uploads of files have. */
function matchesChecksum(body: Buffer, { headers }: IncomingMessage): boolean {
  const sum = headers['x-amz-checksum-sha256'];
  return sum === undefined ? sha256In({ headers }) === undefined : sum === sha256Of(body);
}

function sha256In({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const value = headers[SHA256_HEADER];
  return typeof value === 'string' ? value : undefined;
}

function respondXml(response: ServerResponse, content: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${content}`);
}

function reject(response: ServerResponse, status: number, code: string, message = code): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** S3 rejects smaller parts, except the last one. */
const MIN_PART_BYTES = 5 << 20;

/** An upload in parts that is neither complete nor aborted. */
interface OpenUpload {
  readonly key: string;
  /** The metadata `sha256` of the finished object, which S3 does not verify. */
  readonly sha256: string | undefined;
  readonly parts: Map<number, Buffer>;
}

/** The code of S3's error. */
export type Rejected = 'NoSuchUpload' | 'InvalidPart' | 'InvalidPartOrder' | 'EntityTooSmall';

/** The uploads in parts of one bucket, as S3 keeps them. */
export class MultipartUploads {
  readonly #uploads = new Map<string, OpenUpload>();
  #created = 0;

  /** The keys of the uploads that are neither complete nor aborted. */
  get openKeys(): string[] {
    return [...this.#uploads.values()].map(({ key }) => key);
  }

  clear(): void {
    this.#uploads.clear();
  }

  /** @returns the id of the upload */
  create(key: string, sha256: string | undefined): string {
    const id = `upload-${++this.#created}`;
    this.#uploads.set(id, { key, sha256, parts: new Map() });
    return id;
  }

  /** A part that is sent again replaces the earlier one. */
  put(id: string, part: number, body: Buffer): Rejected | undefined {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return 'NoSuchUpload';
    upload.parts.set(part, body);
    return undefined;
  }

  /** @param list the body of the request, which names each part with its checksum */
  complete(id: string, list: string): Rejected | { readonly body: Buffer; readonly sha256: string | undefined } {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return 'NoSuchUpload';
    const named = [...list.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      sum: /<ChecksumSHA256>([^<]+)</.exec(part)?.[1],
    }));
    const bodies: Buffer[] = [];
    for (const [index, { number, sum }] of named.entries()) {
      const body = upload.parts.get(number);
      if (body === undefined || sum !== sha256Of(body)) return 'InvalidPart';
      if (index > 0 && number <= (named[index - 1]?.number ?? 0)) return 'InvalidPartOrder';
      if (index < named.length - 1 && body.length < MIN_PART_BYTES) return 'EntityTooSmall';
      bodies.push(body);
    }
    if (bodies.length === 0) return 'InvalidPart';
    this.#uploads.delete(id);
    return { body: Buffer.concat(bodies), sha256: upload.sha256 };
  }

  abort(id: string): Rejected | undefined {
    return this.#uploads.delete(id) ? undefined : 'NoSuchUpload';
  }
}

/** @returns the SHA-256 in the form of S3's headers */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}
