import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { THROUGH_PROXY } from '../lib/sdk/proxy.ts';

/** An object with the content that it had when its metadata was read. */
export interface PinnedObject {
  readonly key: string;
  readonly bytes: number;
  /** Identifies the content. */
  readonly etag: string;
  /** Hexadecimal, from the object's metadata, which its writer chooses; undefined if it has none. Not verified. */
  readonly sha256: string | undefined;
}

/** Thrown when an object no longer has the pinned content. */
export class ObjectChangedError extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`${key} was changed or deleted while it was being read`);
    this.name = 'ObjectChangedError';
    this.key = key;
  }
}

/** Thrown when an object cannot be read because of what it is: another attempt would not help. */
export class UnreadableObjectError extends Error {
  readonly key: string;
  /** The end of a sentence that begins with the object's name. */
  readonly reason: string;

  constructor(key: string, reason: string, options?: ErrorOptions) {
    super(`${key} ${reason}`, options);
    this.name = 'UnreadableObjectError';
    this.key = key;
    this.reason = reason;
  }
}

interface BucketOptions {
  readonly name: string;
  readonly endpoint?: string;
  readonly region?: string;
}

/** Long, because the packets that open a connection wait behind those of an upload on a slow link. */
const CONNECT_MS = 10_000;
const RESPONSE_MS = 30_000;
/** Maximum time between two pieces of a body. */
const BODY_TIMEOUT_MS = 20_000;
/** An object is given up after so many failures in a row, each less than PROGRESS_BYTES after the one before. */
const MAX_ATTEMPTS = 4;
const PROGRESS_BYTES = 8 << 20;
/** Doubled with each failure: the first pause is 400 ms. */
const RETRY_DELAY_MS = 200;
/** Maximum size of a text that is read as a whole. */
export const MAX_TEXT_BYTES = 8 << 20;
/** The codes with which S3 rejects a request for an object because of its storage class or its encryption: with a key of its writer (SSE-C), or one in KMS that may not be used. */
const REJECTED_CODES =
  /^(AccessDenied|InvalidObjectState|InvalidRequest|KMS\.\w*(Disabled|InvalidState|InvalidKeyUsage|NotFound)\w*)$/;
/** In the message of a denial: the caller lacks a permission on the bucket. That is not the object's fault. */
const LACKS_RIGHT = /\bs3:\w+ on resource/;
/** The name of the metadata with the SHA-256. S3's own SHA-256 of an object that was uploaded in parts is a hash of the parts' hashes. */
export const SHA256_METADATA = 'sha256';

/** Carries out the requests of a client. */
export type RequestHandler = S3Client['config']['requestHandler'];

/** Makes the client, so call it once. Options that are absent come from the SDK's default chain. */
export function openBucket(options: BucketOptions): Bucket {
  const limits = { connectionTimeout: CONNECT_MS, requestTimeout: RESPONSE_MS, throwOnRequestTimeout: true };
  const requestHandler = { ...THROUGH_PROXY, ...limits };
  return new Bucket(options, new S3Client({ ...configOf(options), requestHandler }));
}

function configOf({ endpoint, region }: BucketOptions): S3ClientConfig {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    // a custom endpoint seldom has a host name per bucket
    forcePathStyle: (endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined,
    // this project verifies the SHA-256 of every file itself
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** One S3 bucket. */
export class Bucket {
  readonly name: string;
  readonly #options: BucketOptions;
  readonly #client: S3Client;

  constructor(options: BucketOptions, client: S3Client) {
    this.name = options.name;
    this.#options = options;
    this.#client = client;
  }

  /**
   * @returns the object with its current content; undefined if it does not exist
   * @throws UnreadableObjectError if S3 does not return it, an Error that names it if the request fails
   */
  async head(key: string): Promise<PinnedObject | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.name, Key: key });
    const response = await this.#client.send(command).catch((error: unknown) => this.#explainHead(key, error));
    if (response === undefined) return undefined;
    const { ContentLength: bytes = 0, ETag: etag = '', Metadata: metadata = {} } = response;
    return { key, bytes, etag: etag.replaceAll('"', ''), sha256: metadata[SHA256_METADATA] };
  }

  /** @returns the objects whose keys begin with the prefix, by key. @throws the SDK's error */
  async list(prefix: string): Promise<Map<string, PinnedObject>> {
    const found = new Map<string, PinnedObject>();
    for await (const page of paginateListObjectsV2({ client: this.#client }, { Bucket: this.name, Prefix: prefix })) {
      for (const { Key: key = '', Size: bytes = 0, ETag: etag = '' } of page.Contents ?? []) {
        if (!key.endsWith('/')) found.set(key, { key, bytes, etag: etag.replaceAll('"', ''), sha256: undefined });
      }
    }
    return found;
  }

  /**
   * Continues after network errors where they occurred.
   * @param range half-open [start, end); absent = the whole object
   * @returns the bytes in pieces
   * @throws ObjectChangedError if the object no longer has the pinned content, UnreadableObjectError if S3 does not return it, an Error that names it if it
   * cannot be read
   */
  async *read(
    object: PinnedObject,
    range?: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array> {
    const end = Math.min(range?.end ?? object.bytes, object.bytes);
    let position = range?.start ?? 0;
    let attempts = 0;
    let failedAt = position;
    while (position < end) {
      const body = await this.#open(object, position, end);
      try {
        for await (const piece of withTimeout(body)) {
          position += piece.length;
          yield piece;
        }
        if (position < end) throw new Error(`${object.key} ended at byte ${position} of ${end}`);
      } catch (error) {
        attempts = position - failedAt < PROGRESS_BYTES ? attempts + 1 : 1;
        failedAt = position;
        if (attempts >= MAX_ATTEMPTS)
          throw new Error(`${object.key} in the bucket ${this.name} cannot be read`, { cause: error });
        await sleep(RETRY_DELAY_MS * 2 ** attempts);
      }
    }
  }

  /** @returns the text of a small object; undefined if it does not exist. @throws UnreadableObjectError if it has more than `maxBytes`, and as `head` and `read` */
  async readText(key: string, maxBytes = MAX_TEXT_BYTES): Promise<{ text: string; object: PinnedObject } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const object = await this.head(key);
      if (object === undefined) return undefined;
      if (object.bytes > maxBytes)
        throw new UnreadableObjectError(key, `has ${object.bytes} bytes; the limit is ${maxBytes}`);
      try {
        return { text: Buffer.concat(await Array.fromAsync(this.read(object))).toString('utf8'), object };
      } catch (error) {
        if (!(error instanceof ObjectChangedError) || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Writes the value as indented JSON. @throws the SDK's error */
  async writeJson(key: string, value: object): Promise<void> {
    const ContentType = 'application/json; charset=utf-8';
    await this.#client.send(
      new PutObjectCommand({ Bucket: this.name, Key: key, Body: formatJson(value), ContentType }),
    );
  }

  /**
   * @param wrap receives the handler of the new client, which has no time limit for a request, and returns the one that is used instead
   * @returns another client of the same S3 with the same credentials, for uploads
   */
  openUploadClient(maxAttempts: number, wrap: (handler: RequestHandler) => RequestHandler): S3Client {
    const client = new S3Client({
      ...configOf(this.#options),
      credentials: this.#client.config.credentials,
      maxAttempts,
      // S3 has checked the permission to upload before the first part, and with this header each part would need its own connection
      expectContinueHeader: false,
      requestHandler: { ...THROUGH_PROXY, connectionTimeout: CONNECT_MS },
    });
    client.config.requestHandler = wrap(client.config.requestHandler);
    return client;
  }

  /** Deletes the parts of an upload that is not complete. @throws the SDK's error */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.name, Key: key, UploadId: uploadId }));
  }

  async #open({ key, etag }: PinnedObject, start: number, end: number): Promise<Readable> {
    const Range = `bytes=${start}-${end - 1}`;
    const command = new GetObjectCommand({ Bucket: this.name, Key: key, Range, IfMatch: `"${etag}"` });
    const response = await this.#client.send(command).catch((error: unknown) => {
      if (statusOf(error) === 412 || statusOf(error) === 404) throw new ObjectChangedError(key);
      throw this.#explain(key, error);
    });
    if (!(response.Body instanceof Readable)) throw new Error('the SDK has returned no Node stream');
    return response.Body;
  }

  /** Handles the error of a HEAD, whose response has no body and so no reason; a GET has one. @returns undefined if the object does not exist */
  async #explainHead(key: string, error: unknown): Promise<undefined> {
    const status = statusOf(error);
    if (status === 404) return undefined;
    if (status === 400 || status === 403) {
      const command = new GetObjectCommand({ Bucket: this.name, Key: key });
      const { Body } = await this.#client.send(command).catch((reason: unknown) => {
        throw this.#explain(key, reason);
      });
      if (Body instanceof Readable) Body.destroy();
    }
    throw this.#explain(key, error);
  }

  #explain(key: string, error: unknown): Error {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    if (REJECTED_CODES.test(name) && !LACKS_RIGHT.test(message))
      return new UnreadableObjectError(key, `cannot be read: S3 does not return it (${name}): ${message}`, {
        cause: error,
      });
    return new Error(`${key} in the bucket ${this.name} cannot be read (${name}): ${message}`, { cause: error });
  }
}

/** @returns the pieces of the body; throws if the next one takes longer than BODY_TIMEOUT_MS */
async function* withTimeout(body: Readable): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const abort = () => body.destroy(new Error(`no data was received for ${BODY_TIMEOUT_MS / 1000} s`));
      const timer = setTimeout(abort, BODY_TIMEOUT_MS);
      const next = await pieces.next().finally(() => clearTimeout(timer));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

/** @returns the text that `Bucket.writeJson` writes */
export function formatJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
