import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** All files of code, from the root. */
export const SOURCE_FILES: readonly string[] = ['functions', 'infra', 'shared', 'test'].flatMap(listFiles);

/** Those of them that are not tests. */
export const PRODUCT_FILES = SOURCE_FILES.filter((file) => !file.startsWith('test/'));

/** @returns the text of a file, named from the root */
export function readSource(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @returns the project's own files that `file` imports, types included, from the root */
export function importsOf(file: string): readonly string[] {
  let imports = known.get(file);
  if (imports === undefined) {
    const names = [...readSource(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
    imports = names
      .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)))
      .filter((name) => existsSync(join(ROOT, name)));
    known.set(file, imports);
  }
  return imports;
}

const known = new Map<string, readonly string[]>();

/** @returns the TypeScript files below a folder, from the root */
export function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}
