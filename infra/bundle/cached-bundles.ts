import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CUSTOM_FIELDS } from '../../shared/catalog/custom-fields.ts';
import { makeFolderOnce } from '../config/make-folder-once.ts';

const ROOT = join(import.meta.dirname, '../..');

const SOURCES = [
  'functions/**/*.ts',
  'shared/**/*.{ts,tsx,css,js,json,svg}',
  'infra/{bundle,config}/*.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
/** More than one, because a running local stage still reads its own after the sources have changed. */
const MAX_CACHED = 8;

/**
 * Several processes may call it concurrently.
 * @param onWrite called before the bundles are written; not called if those of the same sources are cached
 * @returns a folder in which `bundleService` has written
 */
export async function cachedBundles(onWrite: () => void = () => undefined): Promise<string> {
  const cache = join(ROOT, 'node_modules/.cache/endcap-bundles');
  const folder = join(cache, digestSources());
  const hasWritten = await makeFolderOnce(folder, async (draft) => {
    onWrite();
    // imported only here, because loading esbuild and the OpenAPI document takes time
    const { bundleService } = await import('./bundle-service.ts');
    await bundleService(draft);
  });
  if (hasWritten) removeOldest(cache);
  return folder;
}

function digestSources(): string {
  const digest = createHash('sha256').update(process.version).update(JSON.stringify(CUSTOM_FIELDS));
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    const content = readFileSync(join(ROOT, file));
    digest.update(`\n${file} ${content.length}\n`).update(content);
  }
  return digest.digest('hex').slice(0, 24);
}

/** Drafts of processes that were killed count, too. */
function removeOldest(cache: string): void {
  const paths = readdirSync(cache).map((name) => join(cache, name));
  const byAge = paths.sort((a, b) => modifiedAt(b) - modifiedAt(a));
  for (const path of byAge.slice(MAX_CACHED)) rmSync(path, { recursive: true, force: true });
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
