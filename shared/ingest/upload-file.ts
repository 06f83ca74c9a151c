import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { type Bucket, type RequestHandler, SHA256_METADATA } from './bucket.ts';

/** A file that is uploaded. */
interface UploadedFile {
  readonly bytes: number;
  /** Hexadecimal. It becomes metadata of the object, so that the next upload of the same file can be skipped. */
  readonly sha256: string;
  /** The bytes from the start. */
  readonly content: Readable;
}

interface UploadOptions {
  /** Ends the upload. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that S3 has accepted since the last call; it is negative when they must be sent again. */
  readonly onBytes: (bytes: number) => void;
  readonly limits?: UploadLimits | undefined;
}

/** Limits of an upload; absent ones have their defaults. */
export interface UploadLimits {
  /** Maximum time in which S3 accepts no data. */
  readonly idleMs?: number;
  /** Size of a part, at least 5 MiB. Four parts are in memory at a time. */
  readonly partBytes?: number;
}

const PART_BYTES = 8 << 20;
/** S3's limit. */
const MAX_PARTS = 10_000;
const MAX_CONCURRENT_PARTS = 4;
/** Maximum attempts to send a part. */
const MAX_ATTEMPTS = 5;
const IDLE_MS = 60_000;
/** Progress is measured in pieces of this size. */
const PIECE_BYTES = 64 << 10;

/**
 * Uploads a file. A large one is sent in parts, several at a time, and only the parts that fail are sent again. There is no limit for the whole time,
 * only for the time in which nothing is accepted. S3 verifies the SHA-256 of each part.
 * @throws the signal's reason if it aborts, an Error if S3 rejects the file or accepts no data. Unless the file is complete by then, the parts that were
 * sent are deleted.
 */
export async function uploadFile(
  bucket: Bucket,
  key: string,
  { bytes, sha256, content }: UploadedFile,
  { signal, onBytes, limits = {} }: UploadOptions,
): Promise<void> {
  signal.throwIfAborted();
  const { idleMs = IDLE_MS, partBytes = PART_BYTES } = limits;
  const client = bucket.openUploadClient(MAX_ATTEMPTS, (handler) => withIdleTimeout(handler, signal, onBytes, idleMs));
  const upload = new Upload({
    client,
    partSize: Math.max(partBytes, Math.ceil(bytes / MAX_PARTS)),
    queueSize: MAX_CONCURRENT_PARTS,
    leavePartsOnError: true, // they are deleted below, because Upload leaves them when the request that completes the upload fails
    params: {
      Bucket: bucket.name,
      Key: key,
      Body: content,
      ContentLength: bytes,
      ChecksumAlgorithm: 'SHA256',
      Metadata: { [SHA256_METADATA]: sha256 },
    },
  });
  try {
    await upload.done();
  } catch (error) {
    // what cannot be deleted now is deleted by the bucket's lifecycle rule
    if (upload.uploadId !== undefined) await bucket.abortUpload(key, upload.uploadId).catch(() => undefined);
    signal.throwIfAborted();
    throw error;
  } finally {
    content.destroy();
    client.destroy();
  }
  signal.throwIfAborted(); // requests without data do not end with the signal
}

/**
 * Ends a request that sends data when the signal aborts, and any request for which S3 accepts no data for `idleMs`. `Upload` passes no signal to its
 * requests: those in progress would continue after it has ended.
 */
function withIdleTimeout(
  handler: RequestHandler,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
  idleMs: number,
): RequestHandler {
  const handle: RequestHandler['handle'] = async (request, options) => {
    const idle = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let accepted = 0;
    let ended = false;
    const onAccepted = (bytes: number) => {
      if (ended) return; // S3 may respond before it has read all of a body
      clearTimeout(timer);
      timer = setTimeout(() => idle.abort(), idleMs);
      accepted += bytes;
      onBytes(bytes);
    };
    onAccepted(0);
    const { body } = request;
    const isData = body instanceof Uint8Array && body.length > 0;
    const sent = isData ? { ...request, body: Readable.from(cut(body, onAccepted), { objectMode: false }) } : request;
    // the signal does not end requests without data: without the response of the one that begins an upload, the upload could not be deleted
    const abortSignal = isData ? AbortSignal.any([signal, idle.signal]) : idle.signal;
    try {
      const result = await handler.handle(sent, { ...options, abortSignal });
      if (result.response.statusCode >= 300) onBytes(-accepted);
      return result;
    } catch (error) {
      onBytes(-accepted);
      if (!idle.signal.aborted || signal.aborted) throw error;
      // the name by which the SDK recognizes an error that it retries
      throw Object.assign(new Error(`S3 has accepted no data for ${idleMs / 1000} s`), { name: 'TimeoutError' });
    } finally {
      ended = true;
      clearTimeout(timer);
    }
  };
  return Object.assign(Object.create(handler), { handle }); // inherits the other methods
}

function* cut(body: Uint8Array, onAccepted: (bytes: number) => void): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    const piece = body.subarray(start, start + PIECE_BYTES);
    yield piece;
    onAccepted(piece.length);
  }
}
