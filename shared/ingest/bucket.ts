import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { THROUGH_PROXY } from '../lib/sdk/proxy.ts';
import { RequestHandler } from '../lib/sdk/request-handler.ts';
import { SLOW_ATTEMPT_MS } from '../lib/sdk/request-limits.ts';

/** An object with the content that it had when its metadata was read. */
export interface PinnedObject {
  readonly key: string;
  readonly bytes: number;
  /** Identifies the content. */
  readonly etag: string;
  /** Hexadecimal, from the object's metadata, which its writer chooses; undefined if it has none. Not verified. */
  readonly sha256: string | undefined;
  /** When it was written; absent if S3 has not said so. */
  readonly modifiedAt?: Date | undefined;
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

/** An object is given up after so many failures in a row without any data. */
const MAX_ATTEMPTS = 4;
/** Maximum size of a text that is read as a whole. */
export const MAX_TEXT_BYTES = 8 << 20;
/** The codes with which S3 rejects a request for an object because of its storage class or its encryption: with a key of its writer (SSE-C), or one in KMS that may not be used. */
const REJECTED_CODES =
  /^(AccessDenied|InvalidObjectState|InvalidRequest|KMS\.\w*(Disabled|InvalidState|InvalidKeyUsage|NotFound)\w*)$/;
/** In the message of a denial: the caller lacks a permission on the bucket. That is not the object's fault. */
const LACKS_RIGHT = /\bs3:\w+ on resource/;
/** The name of the metadata with the SHA-256. S3's own SHA-256 of an object that was uploaded in parts is a hash of the parts' hashes. */
export const SHA256_METADATA = 'sha256';

/** Makes the client, so call it once. Options that are absent come from the SDK's default chain. */
export function openBucket({
  name,
  endpoint,
  region,
}: {
  readonly name: string;
  readonly endpoint?: string;
  readonly region?: string;
}): Bucket {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    // a custom endpoint seldom has a host name per bucket
    forcePathStyle: (endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined,
    // this project verifies the SHA-256 of every file itself
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // with this header, each part of an upload would need its own connection
    expectContinueHeader: false,
    requestHandler: new RequestHandler({
      ...THROUGH_PROXY,
      connectionTimeout: SLOW_ATTEMPT_MS,
      socketTimeout: SLOW_ATTEMPT_MS,
    }),
  });
  return new Bucket(name, client);
}

/** One S3 bucket. */
export class Bucket {
  readonly name: string;
  readonly client: S3Client;

  constructor(name: string, client: S3Client) {
    this.name = name;
    this.client = client;
  }

  /**
   * @returns the object with its current content; undefined if it does not exist
   * @throws UnreadableObjectError if S3 does not return it, an Error that names it if the request fails
   */
  async head(key: string): Promise<PinnedObject | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.name, Key: key });
    const response = await this.client.send(command).catch((error: unknown) => this.#explainHead(key, error));
    if (response === undefined) return undefined;
    const { ContentLength: bytes = 0, ETag: etag = '', Metadata: metadata = {}, LastModified: modifiedAt } = response;
    return { key, bytes, etag: etag.replaceAll('"', ''), sha256: metadata[SHA256_METADATA], modifiedAt };
  }

  /** @returns the objects whose keys begin with the prefix, by key. @throws the SDK's error */
  async list(prefix: string): Promise<Map<string, PinnedObject>> {
    const found = new Map<string, PinnedObject>();
    for await (const page of paginateListObjectsV2({ client: this.client }, { Bucket: this.name, Prefix: prefix })) {
      for (const { Key: key = '', Size: bytes = 0, ETag: etag = '' } of page.Contents ?? []) {
        if (!key.endsWith('/')) found.set(key, { key, bytes, etag: etag.replaceAll('"', ''), sha256: undefined });
      }
    }
    return found;
  }

  /**
   * Continues after network errors where they occurred.
   * @returns the bytes in pieces
   * @throws ObjectChangedError if the object no longer has the pinned content, UnreadableObjectError if S3 does not return it, an Error that names it if it
   * cannot be read
   */
  async *read(object: PinnedObject): AsyncGenerator<Uint8Array> {
    let [position, failedAt, attempts] = [0, 0, 0];
    while (position < object.bytes) {
      const body = await this.#open(object, position);
      try {
        for await (const piece of body) {
          position += piece.length;
          yield piece;
        }
        if (position < object.bytes) throw new Error(`${object.key} ended at byte ${position} of ${object.bytes}`);
      } catch (error) {
        attempts = position === failedAt ? attempts + 1 : 1;
        failedAt = position;
        if (attempts >= MAX_ATTEMPTS)
          throw new Error(`${object.key} in the bucket ${this.name} cannot be read`, { cause: error });
      } finally {
        body.destroy();
      }
    }
  }

  /** @returns the text of a small object; undefined if it does not exist. @throws UnreadableObjectError if it has more than MAX_TEXT_BYTES, and as `head` and `read` */
  async readText(key: string): Promise<{ text: string; object: PinnedObject } | undefined> {
    const object = await this.head(key);
    if (object === undefined) return undefined;
    if (object.bytes > MAX_TEXT_BYTES)
      throw new UnreadableObjectError(key, `has ${object.bytes} bytes; the limit is ${MAX_TEXT_BYTES}`);
    try {
      return { text: Buffer.concat(await Array.fromAsync(this.read(object))).toString('utf8'), object };
    } catch (error) {
      if (!(error instanceof ObjectChangedError)) throw error;
      return this.readText(key);
    }
  }

  /** Writes the value as indented JSON. @throws the SDK's error */
  async writeJson(key: string, value: object): Promise<void> {
    const ContentType = 'application/json; charset=utf-8';
    await this.client.send(new PutObjectCommand({ Bucket: this.name, Key: key, Body: formatJson(value), ContentType }));
  }

  /** Deletes the parts of an upload that is not complete. @throws the SDK's error */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.client.send(new AbortMultipartUploadCommand({ Bucket: this.name, Key: key, UploadId: uploadId }));
  }

  async #open({ key, etag, bytes }: PinnedObject, start: number): Promise<Readable> {
    const Range = `bytes=${start}-${bytes - 1}`;
    const command = new GetObjectCommand({ Bucket: this.name, Key: key, Range, IfMatch: `"${etag}"` });
    const response = await this.client.send(command).catch((error: unknown) => {
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
      const { Body } = await this.client.send(command).catch((reason: unknown) => {
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
