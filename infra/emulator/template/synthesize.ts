import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolderOnce } from '../../config/make-folder-once.ts';
import { readContext } from '../../config/settings.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The id of the one stack in the app. */
export const STACK_ID = 'Endcap';

/** The sources of the synthesized template, the bundles and the pages, as glob patterns relative to the project. */
export const INPUTS = [
  'infra/*.ts',
  'infra/config/*.ts',
  'infra/cli/run-cli.ts',
  'infra/stack/**/*.ts',
  'functions/**/*.ts',
  'shared/**/*.{ts,tsx,css,js,json,svg}',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
/** Hexadecimal digits in the name of a cached assembly. */
const DIGEST_DIGITS = 24;
const ASSEMBLY = new RegExp(`^[0-9a-f]{${DIGEST_DIGITS}}$`);
/** How many assemblies are kept. More than one, because a running local stage still reads its own after the sources have changed. */
const MAX_CACHED = 16;

/**
 * Synthesizes the CDK app and its bundles, unless the result for the same sources is cached.
 * It may run in several processes concurrently.
 * @returns the folder of the cloud assembly
 * @throws Error with the app's output if it cannot be synthesized
 */
export async function synthesize(cache = join(ROOT, 'node_modules/.cache/endcap')): Promise<string> {
  const folder = join(cache, digestInputs());
  if (await makeFolderOnce(folder, synthesizeInto)) removeOldest(cache);
  return folder;
}

function digestInputs(): string {
  const digest = createHash('sha256').update(process.version);
  for (const file of globSync(INPUTS, { cwd: ROOT }).sort()) {
    const content = readFileSync(join(ROOT, file));
    digest.update(`\n${file} ${content.length}\n`).update(content);
  }
  return digest.digest('hex').slice(0, DIGEST_DIGITS);
}

/** Runs the app in a separate process, as the CDK command line does: bundling is synchronous and writes to the terminal. */
async function synthesizeInto(outdir: string): Promise<void> {
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(readContext()) };
  try {
    await promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: ROOT, env });
  } catch (error) {
    throw new Error(`the CDK app cannot be synthesized: ${error instanceof Error ? error.message : error}`);
  }
}

/** Removes the oldest assemblies, so that at most `MAX_CACHED` are left. */
export function removeOldest(cache: string): void {
  const entries = readdirSync(cache)
    .filter((name) => ASSEMBLY.test(name))
    .map((name) => join(cache, name));
  const modifiedAt = new Map(entries.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
  const oldest = entries.sort((a, b) => (modifiedAt.get(b) ?? 0) - (modifiedAt.get(a) ?? 0)).slice(MAX_CACHED);
  for (const path of oldest) rmSync(path, { recursive: true, force: true });
}
