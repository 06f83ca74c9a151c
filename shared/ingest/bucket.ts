import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

/** An object as it was when it was looked at. */
export interface PinnedObject {
  readonly key: string;
  readonly bytes: number;
  /** Says which content it had. */
  readonly etag: string;
  /** Hexadecimal; undefined unless whoever wrote the object had S3 keep it. */
  readonly sha256: string | undefined;
}

/** What is written to an object from a file. */
export interface FileContent {
  readonly bytes: number;
  /** Hexadecimal; S3 refuses the object where it arrives with another one. */
  readonly sha256: string;
  /** @returns the bytes from the beginning; called again when the network fails */
  open(): Readable;
}

/** The content of an object is not the one that was looked at. */
export class ObjectChangedError extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`${key} has been written again or deleted meanwhile`);
    this.name = 'ObjectChangedError';
    this.key = key;
  }
}

export interface BucketOptions {
  readonly name: string;
  readonly endpoint?: string;
  readonly region?: string;
}

const CONNECT_MS = 1_000;
const ANSWER_MS = 30_000;
/** A body that is silent for so long while it is waited for counts as broken. */
const SILENT_MS = 20_000;
/** How often a body may break before so many bytes have come, or a file be sent in vain. */
const TRIES = 4;
const BYTES_A_TRY = 8 << 20;
const WAIT_MS = 200;
/** What S3 takes in one piece. */
export const MAX_FILE_BYTES = 5 * 2 ** 30;

const nothing = () => undefined;
/** What goes wrong is thrown; the SDK would warn beside it that it sends no stream a second time, which is done here. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** @returns the bucket; its client is made here once. Whatever the options leave out comes from the SDK's default chain. */
export function openBucket({ name, endpoint, region }: BucketOptions): Bucket {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    // an endpoint of one's own seldom has a host name for each bucket
    forcePathStyle: [endpoint, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL].some((it) => it !== undefined),
    // every file is checked against its SHA-256 here
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
  });
  return new Bucket(name, client);
}

/** One bucket, thinly. This is the only file that knows the SDK for S3. */
export class Bucket {
  readonly name: string;
  readonly #client: S3Client;

  constructor(name: string, client: S3Client) {
    this.name = name;
    this.#client = client;
  }

  /** @returns the object as it is now, undefined where there is none */
  async look(key: string): Promise<PinnedObject | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.name, Key: key, ChecksumMode: 'ENABLED' });
    const answer = await this.#client.send(command).catch(absent);
    if (answer === undefined) return undefined;
    const { ContentLength: bytes = 0, ETag: etag = '', ChecksumSHA256: sum } = answer;
    const sha256 = sum === undefined ? undefined : Buffer.from(sum, 'base64').toString('hex');
    return { key, bytes, etag: unquoted(etag), sha256 };
  }

  /**
   * @returns an object's bytes in the half-open range [start, end), or all of it, in pieces. Where the network breaks off, it goes on from there.
   * @throws ObjectChangedError as soon as the content is another one
   */
  async *read(
    object: PinnedObject,
    range?: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array> {
    const end = Math.min(range?.end ?? object.bytes, object.bytes);
    let at = range?.start ?? 0;
    let broken = 0;
    let brokeAt = at;
    while (at < end) {
      const body = await this.#open(object, at, end);
      try {
        for await (const piece of untilSilent(body)) {
          at += piece.length;
          yield piece;
        }
        if (at < end) throw new Error(`${object.key} ended at byte ${at} of ${end}`);
      } catch (error) {
        broken = at - brokeAt < BYTES_A_TRY ? broken + 1 : 1;
        brokeAt = at;
        if (broken >= TRIES)
          throw new Error(`${object.key} of the bucket ${this.name} cannot be read`, { cause: error });
        await sleep(WAIT_MS * 2 ** broken);
      }
    }
  }

  /** @returns a small object's text, undefined where there is none. @throws Error where it has more than `limit` bytes */
  async readText(key: string, limit = 8 << 20): Promise<{ text: string; object: PinnedObject } | undefined> {
    for (let tries = 1; ; tries++) {
      const object = await this.look(key);
      if (object === undefined) return undefined;
      if (object.bytes > limit) throw new Error(`${key} has ${object.bytes} bytes; at most ${limit} are read`);
      try {
        return { text: Buffer.concat(await Array.fromAsync(this.read(object))).toString('utf8'), object };
      } catch (error) {
        if (!(error instanceof ObjectChangedError) || tries >= TRIES) throw error;
      }
    }
  }

  async writeText(key: string, text: string): Promise<void> {
    const ContentType = 'application/json; charset=utf-8';
    await this.#client.send(new PutObjectCommand({ Bucket: this.name, Key: key, Body: text, ContentType }));
  }

  /** Writes an object from a file. @throws Error where S3 does not take it, or gets other bytes than the SHA-256 says */
  async writeFile(key: string, { bytes, sha256, open }: FileContent, signal: AbortSignal): Promise<void> {
    const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      const Body = open();
      const command = new PutObjectCommand({ Bucket: this.name, Key: key, Body, ContentLength: bytes, ChecksumSHA256 });
      try {
        await this.#client.send(command, { abortSignal: signal });
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (tries >= TRIES || isRefusal(error)) throw error;
        await sleep(WAIT_MS * 2 ** tries);
      } finally {
        Body.destroy();
      }
    }
  }

  async #open({ key, etag }: PinnedObject, start: number, end: number): Promise<Readable> {
    const Range = `bytes=${start}-${end - 1}`;
    const command = new GetObjectCommand({ Bucket: this.name, Key: key, Range, IfMatch: `"${etag}"` });
    const answer = await this.#client.send(command).catch((error: unknown) => {
      if (statusOf(error) === 412 || statusOf(error) === 404) throw new ObjectChangedError(key);
      throw error;
    });
    if (!(answer.Body instanceof Readable)) throw new Error('the SDK answers with no stream of Node');
    return answer.Body;
  }
}

/** @returns the pieces of a body, which breaks when the next one is waited for too long */
async function* untilSilent(body: Readable): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(new Error(`nothing came for ${SILENT_MS / 1000} s`)), SILENT_MS);
      const next = await pieces.next().finally(() => clearTimeout(timer));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

/** For `catch`: no such object is undefined, any other error is thrown. */
function absent(error: unknown): undefined {
  if (statusOf(error) === 404) return undefined;
  throw error;
}

/** Whether sending the same again is of no use. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '');
}
