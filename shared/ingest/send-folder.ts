import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { CONCURRENCY, forEachConcurrently } from '../lib/concurrency.ts';
import type { ReplaceMode } from '../load/schema/replace-modes.ts';
import { digestFile, directorySource, type FileSource, type SourceFile } from '../load/source/file-source.ts';
import { isHidden } from '../load/source/find-files.ts';
import { type Bucket, formatJson, MAX_TEXT_BYTES, SHA256_METADATA } from './bucket.ts';
import { FileName, type NamedFile, READY_FILE, type ReadyFile } from './ready-file.ts';

export interface SendOptions {
  /** A directory. */
  readonly folder: string;
  readonly bucket: Bucket;
  /** The prefix of the keys: empty, or ending in `/`. */
  readonly prefix: string;
  /** Identifies the load in its progress and report. */
  readonly id: string;
  /** What the folder's facts replace, as for `loadFolder`. */
  readonly replace?: ReplaceMode | undefined;
  readonly check?: boolean | undefined;
  readonly accept?: boolean | undefined;
  /** Ends the upload before `_READY` is written, so that nothing is loaded. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that are in the bucket. */
  readonly onProgress: (done: number, total: number) => void;
  /** Called before `_READY` is written, which the signal does not end: from then on, the folder may be loaded. */
  readonly onReady?: () => void;
}

/**
 * Uploads the files of a directory, except hidden ones and those that are in the bucket already, and then `_READY`, which starts the load.
 * @throws the signal's reason if it aborts; Error if the folder has no files, a file is unreadable, has a name that the ingestion rejects, or changes during the upload, `_READY` would be too large, or
 * S3 rejects a file or accepts no data
 */
export async function sendFolder(options: SendOptions): Promise<void> {
  const { folder, bucket, prefix, id, replace, check, accept, signal, onProgress } = options;
  const source = directorySource(folder);
  const files = (await source.list()).filter((file) => !isHidden(file.name));
  if (files.length === 0) throw new Error(`${folder} contains no files`);
  const broken = files.find((file) => file.defect !== undefined);
  if (broken !== undefined) throw new Error(`${join(folder, broken.name)} ${broken.defect}`);
  checkReady(id, files);

  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  onProgress(done, total);
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress(done, total);
  };
  const sent: NamedFile[] = [];
  // the first error ends the other uploads, which may have hours to go
  const failure = new AbortController();
  const endSignal = AbortSignal.any([signal, failure.signal]);
  const send = async ({ name, bytes }: SourceFile, index: number) => {
    const sha256 = await digestFile(source, name, endSignal);
    sent[index] = { name, bytes, sha256 };
    // whoever may not read objects sends all files again
    const existing = await bucket.head(`${prefix}${name}`).catch(() => undefined);
    if (existing?.bytes === bytes && existing.sha256 === sha256) return onBytes(bytes);
    const content = Readable.from(readChecked(source, name, sha256), { objectMode: false });
    await uploadFile(bucket, `${prefix}${name}`, { bytes, sha256, content }, endSignal, onBytes);
  };
  await forEachConcurrently(files.entries(), CONCURRENCY, ([index, file]) =>
    send(file, index).catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  signal.throwIfAborted();
  const ready: ReadyFile = { id, replace, check, accept, files: sent };
  options.onReady?.();
  await bucket.writeJson(`${prefix}${READY_FILE}`, ready);
}

/** @throws Error if the ingestion would reject `_READY`, after what may be hours of uploading */
function checkReady(id: string, files: readonly SourceFile[]): void {
  for (const { name } of files) {
    const reason = FileName.safeParse(name).error?.issues[0]?.message;
    if (reason !== undefined) throw new Error(`the file ${JSON.stringify(name)} cannot be sent: its name ${reason}`);
  }
  const ready: ReadyFile = { id, files: files.map(({ name, bytes }) => ({ name, bytes, sha256: '0'.repeat(64) })) };
  const bytes = Buffer.byteLength(formatJson(ready));
  if (bytes <= MAX_TEXT_BYTES) return;
  throw new Error(
    `${READY_FILE} would have ${bytes} bytes for ${files.length} files; the limit is ${MAX_TEXT_BYTES}: send the folder in parts, or with fewer files`,
  );
}

/** @throws Error at the end if the content does not have the SHA-256, so that the upload of a changed file is not completed */
async function* readChecked(source: FileSource, name: string, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of source.read(name)) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${name} was changed while it was being uploaded`);
}

/**
 * Uploads a file. A large one is sent in parts, several at a time, and only the parts that fail are sent again. S3 verifies the SHA-256 of each part.
 * @param file its hexadecimal SHA-256 becomes metadata of the object, so that the next upload of the same file can be skipped
 * @param signal ends the upload; requests in progress end later
 * @param onBytes called with the number of bytes that S3 has accepted since the last call
 * @throws the signal's reason if it aborts, an Error if S3 rejects the file or accepts no data. Unless the file is complete by then, the parts that were
 * sent are deleted
 */
async function uploadFile(
  bucket: Bucket,
  key: string,
  { bytes, sha256, content }: { readonly bytes: number; readonly sha256: string; readonly content: Readable },
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  signal.throwIfAborted();
  const upload = new Upload({
    client: bucket.client,
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
  let accepted = 0;
  upload.on('httpUploadProgress', ({ loaded = 0 }) => {
    onBytes(loaded - accepted);
    accepted = loaded;
  });
  const abort = () => void upload.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await upload.done();
  } catch (error) {
    // what cannot be deleted now is deleted by the bucket's lifecycle rule
    if (upload.uploadId !== undefined) await bucket.abortUpload(key, upload.uploadId).catch(() => undefined);
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    content.destroy();
  }
}
