import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { compareText } from '../../lib/compare-text.ts';

/** A file of a folder. `name` is its path below the folder, with `/`. */
export interface SourceFile {
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal, verified; absent if the file was not read yet. */
  readonly sha256?: string | undefined;
  /** Why the file cannot be read, as the end of a sentence; absent if it can. */
  readonly defect?: string;
}

/** The source of a folder's files: a directory, or objects of a bucket. */
export interface FileSource {
  /** @returns the files of the folder, by the code points of their names. @throws an error of the disk or the bucket */
  list(): Promise<readonly SourceFile[]>;
  /** @returns the bytes of the file in pieces; iterating throws an error of the disk or the bucket */
  read(name: string): AsyncIterable<Uint8Array>;
  /** @returns the path of the file on this machine; absent if the files are on no disk of it */
  pathOf?(name: string): string;
}

/** @returns the SHA-256 of the file as it is stored, hexadecimal. @throws the signal's reason when it aborts */
export async function digestFile(source: FileSource, name: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of source.read(name)) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  signal.throwIfAborted();
  return hash.digest('hex');
}

/** Files are read, decompressed and cut into blocks in pieces of about this size. */
export const PIECE_BYTES = 1 << 20;

/** @returns the source of a directory's files. Links are followed, except those to a directory that they are in. */
export function directorySource(directory: string): FileSource {
  return {
    list: async () => {
      const files = await listBelow(directory);
      return files
        .map(({ path, ...file }) => ({ name: relative(directory, path).replaceAll(sep, '/'), ...file }))
        .sort((a, b) => compareText(a.name, b.name));
    },
    read: (name) => createReadStream(join(directory, name), { highWaterMark: PIECE_BYTES }),
    pathOf: (name) => join(directory, name),
  };
}

async function listBelow(directory: string, parents: readonly string[] = []) {
  const real = await realpath(directory);
  const files: { path: string; bytes: number; defect?: string }[] = [];
  if (parents.includes(real)) return files;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const info = await stat(path).catch((error: unknown) => {
      if (!((entry.isSymbolicLink() || path.includes('\ufffd')) && isNotFound(error))) throw error;
    });
    if (info === undefined && !entry.isSymbolicLink())
      files.push({ path, bytes: 0, defect: 'has a name that is not UTF-8: rename it' });
    else if (info === undefined) files.push({ path, bytes: 0, defect: 'is a link to something that does not exist' });
    else if (info.isFile()) files.push({ path, bytes: info.size });
    else if (info.isDirectory()) files.push(...(await listBelow(path, [...parents, real])));
    else files.push({ path, bytes: 0, defect: 'is not a regular file' });
  }
  return files;
}

/** @returns whether a link leads nowhere: to what does not exist, to itself (ELOOP), or below a file (ENOTDIR) */
function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'ELOOP', 'ENOTDIR'].includes(String(error.code));
}
