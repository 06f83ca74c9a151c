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
  /** What the keys are to begin with: empty, or with a `/` at the end. */
  readonly prefix: string;
  /** Which load it is, for those who wait for its report. */
  readonly id: string;
  /** Ends the sending before the folder is complete, and so before anything is loaded. */
  readonly signal: AbortSignal;
  /** Called with the bytes that are in the bucket. */
  readonly onProgress: (done: number, total: number) => void;
}

const FILES_AT_ONCE = 3;

/**
 * Puts the files of a directory into a bucket, those that are there already left out, and then the `_READY` that has them loaded.
 * @throws the signal's reason when it aborts, an Error where there is nothing to send
 */
export async function sendFolder({ folder, bucket, prefix, id, signal, onProgress }: SendOptions): Promise<void> {
  const source = directorySource(folder);
  const files = (await source.list()).filter((it) => !isHidden(it.name));
  if (files.length === 0) throw new Error(`${folder} holds no files`);
  const large = files.find((it) => it.bytes > MAX_FILE_BYTES);
  if (large !== undefined) throw new Error(`${large.name} is larger than 5 GB: facts may come in several files`);

  const total = files.reduce((sum, it) => sum + it.bytes, 0);
  const done = new Map<string, number>();
  const named = new Map<string, NamedFile>();
  await forEachConcurrently(files, FILES_AT_ONCE, async (file) => {
    const tell = (bytes: number) => {
      done.set(file.name, bytes);
      onProgress(
        Array.from(done.values()).reduce((sum, it) => sum + it, 0),
        total,
      );
    };
    const sha256 = await digest(source, file.name, signal);
    named.set(file.name, { name: file.name, bytes: file.bytes, sha256 });
    const there = await bucket.look(`${prefix}${file.name}`);
    if (there?.bytes !== file.bytes || there.sha256 !== sha256) {
      const open = () => Readable.from(counted(source, file, tell), { objectMode: false });
      await bucket.writeFile(`${prefix}${file.name}`, { bytes: file.bytes, sha256, open }, signal);
    }
    tell(file.bytes);
  });
  signal.throwIfAborted();
  const ready: ReadyFile = { id, files: files.flatMap((it) => named.get(it.name) ?? []) };
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

async function* counted(
  source: FileSource,
  { name }: SourceFile,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source.read(name)) {
    bytes += piece.length;
    tell(bytes);
    yield piece;
  }
}
