import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The paths of all TypeScript files, relative to the root. */
export const SOURCE_FILES: readonly string[] = ['functions', 'infra', 'shared', 'test'].flatMap(listFiles);

/** The source files that are not tests. */
export const PRODUCT_FILES = SOURCE_FILES.filter((file) => !file.startsWith('test/'));

/** @returns the text of a file @param file its path relative to the root */
export function readSource(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @returns the project's files that `file` imports, including imports of types, relative to the root */
export function importsOf(file: string): readonly string[] {
  let imports = importsByFile.get(file);
  if (imports === undefined) {
    const names = [...readSource(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
    imports = names
      .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)))
      .filter((name) => existsSync(join(ROOT, name)));
    importsByFile.set(file, imports);
  }
  return imports;
}

const importsByFile = new Map<string, readonly string[]>();

/** @returns the TypeScript files below a folder, relative to the root */
export function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}
