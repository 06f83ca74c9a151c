import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { compareText } from '../../lib/compare-text.ts';

/** A file of a folder. `name` is its path below the folder, with `/`. */
export interface SourceFile {
  readonly name: string;
  readonly bytes: number;
}

/** The source of a folder's files: a directory, or the objects below a prefix of a bucket. */
export interface FileSource {
  /** @returns every file below the folder */
  list(): Promise<readonly SourceFile[]>;
  /** @returns the bytes of the file in pieces */
  read(name: string): AsyncIterable<Uint8Array>;
  /** @returns the path of the file on this machine; absent if the files are on no disk of it */
  pathOf?(name: string): string;
}

const PIECE_BYTES = 1 << 20;

/** @returns the files of a directory. Links to files are followed, links to directories are left out. */
export function directorySource(directory: string): FileSource {
  return {
    list: async () => {
      const entries = await readdir(directory, { withFileTypes: true, recursive: true });
      const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
      const sizes = await Promise.all(files.map(async (path) => ({ path, ...(await sizeOf(path)) })));
      return sizes
        .filter((file) => file.isFile)
        .map((file) => ({ name: relative(directory, file.path).replaceAll(sep, '/'), bytes: file.bytes }))
        .sort((a, b) => compareText(a.name, b.name));
    },
    read: (name) => createReadStream(join(directory, name), { highWaterMark: PIECE_BYTES }),
    pathOf: (name) => join(directory, name),
  };
}

async function sizeOf(path: string): Promise<{ isFile: boolean; bytes: number }> {
  const info = await stat(path);
  return { isFile: info.isFile(), bytes: info.size };
}
