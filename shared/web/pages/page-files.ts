import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** A file that is served. Its bytes are read or compressed when they are first needed. */
export interface PageFile {
  readonly type: string;
  /** Whether the name contains a hash of the content. */
  readonly hashed: boolean;
  readonly plain: () => Buffer;
  readonly brotli: () => Buffer;
}

/** The folders of hashed files, which are also the first segments of their paths. */
const FILE_FOLDERS = ['explorer', 'docs'] as const;
export type FileFolder = (typeof FILE_FOLDERS)[number];

/** Only texts, because API Gateway passes a binary body on as base64 to clients without the header Accept. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
  }),
);

/** Quality for texts that are compressed by the function; files are compressed when the function is bundled. */
const BROTLI_QUALITY = 5;

/** @returns the hashed files in the folders below `root`, by path: `/explorer/app-1A2B3C4D.js` */
export function openFiles(root: string): ReadonlyMap<string, PageFile> {
  const found = FILE_FOLDERS.flatMap((folder) =>
    (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
      .filter((name) => !name.endsWith('.br'))
      .map((name) => [`/${folder}/${name}`, openFile(join(root, folder, name))] as const),
  );
  return new Map(found);
}

export function pageOf(type: string, text: () => string): PageFile {
  const plain = once(() => Buffer.from(text()));
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return { type, hashed: false, plain, brotli: once(() => brotliCompressSync(plain(), { params })) };
}

function openFile(path: string): PageFile {
  const type = TYPES.get(extname(path));
  if (type === undefined) throw new Error(`${path} has no known media type`);
  return { type, hashed: true, plain: once(() => readFileSync(path)), brotli: once(() => readFileSync(`${path}.br`)) };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
