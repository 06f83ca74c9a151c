import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { forEachConcurrently } from '../lib/concurrency.ts';
import { directorySource, type FileSource, type SourceFile } from '../load/source/file-source.ts';
import { isHidden } from '../load/source/find-files.ts';
import { type Bucket, MAX_FILE_BYTES } from './bucket.ts';
import { type NamedFile, READY_FILE, type ReadyFile } from './ready-file.ts';

export interface SendOptions {
  /** A directory. */
  readonly folder: string;
  readonly bucket: Bucket;
  /** The prefix of the keys: empty, or ending in `/`. */
  readonly prefix: string;
  /** Identifies the load in its progress and report. */
  readonly id: string;
  /** Ends the upload before `_READY` is written, so that nothing is loaded. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that are in the bucket. */
  readonly onProgress: (done: number, total: number) => void;
}

const MAX_CONCURRENT_FILES = 3;

/**
 * Uploads the files of a directory, except those that are in the bucket already, and then `_READY`, which starts the load.
 * @throws the signal's reason when it aborts, an Error if there is nothing to upload
 */
export async function sendFolder({ folder, bucket, prefix, id, signal, onProgress }: SendOptions): Promise<void> {
  const source = directorySource(folder);
  const files = (await source.list()).filter((file) => !isHidden(file.name));
  if (files.length === 0) throw new Error(`${folder} contains no files`);
  const large = files.find((file) => file.bytes > MAX_FILE_BYTES);
  if (large !== undefined) throw new Error(`${large.name} is larger than 5 GB: split its facts into several files`);

  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const sent = new Map<string, number>();
  const named = new Map<string, NamedFile>();
  await forEachConcurrently(files, MAX_CONCURRENT_FILES, async (file) => {
    const report = (bytes: number) => {
      sent.set(file.name, bytes);
      const done = [...sent.values()].reduce((sum, count) => sum + count, 0);
      onProgress(done, total);
    };
    const sha256 = await digest(source, file.name, signal);
    named.set(file.name, { name: file.name, bytes: file.bytes, sha256 });
    const existing = await bucket.head(`${prefix}${file.name}`);
    if (existing?.bytes !== file.bytes || existing.sha256 !== sha256) {
      const open = () => Readable.from(readCounted(source, file, report), { objectMode: false });
      await bucket.writeFile(`${prefix}${file.name}`, { bytes: file.bytes, sha256, open }, signal);
    }
    report(file.bytes);
  });
  signal.throwIfAborted();
  const ready: ReadyFile = { id, files: files.flatMap((file) => named.get(file.name) ?? []) };
  await bucket.writeText(`${prefix}${READY_FILE}`, `${JSON.stringify(ready, undefined, 2)}\n`);
}

async function digest(source: FileSource, name: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of source.read(name)) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest('hex');
}

async function* readCounted(
  source: FileSource,
  { name }: SourceFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source.read(name)) {
    bytes += piece.length;
    onBytes(bytes);
    yield piece;
  }
}
