import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readContext } from '../../settings.ts';
import { makeOnce } from './make-once.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The id of the one stack in the app. */
export const STACK_ID = 'Endcap';

/** The sources of the synthesized template, the bundles and the pages, as glob patterns relative to the project. */
export const INPUTS = [
  'infra/*.ts',
  'infra/cli/run-cli.ts',
  'infra/stack/**/*.ts',
  'functions/**/*.ts',
  'shared/**/*.{ts,tsx,css,js,json,svg}',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
/** How many assemblies (7 MB each) are kept. More than one, because a running local stage still reads its own after the sources have changed. */
const MAX_CACHED = 16;

/**
 * Synthesizes the CDK app and its bundles, unless the result for the same sources is cached. Synthesizing takes seconds.
 * @returns the folder of the cloud assembly; safe to call from several processes concurrently
 */
export async function synthesize(cache = join(ROOT, 'node_modules/.cache/endcap')): Promise<string> {
  const folder = join(cache, digestInputs());
  await makeOnce(folder, async () => {
    const draft = `${folder}.draft`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    await synthesizeInto(draft);
    renameSync(draft, folder);
    removeOldest(cache);
  });
  return folder;
}

function digestInputs(): string {
  const digest = createHash('sha256').update(process.version);
  for (const file of globSync(INPUTS, { cwd: ROOT }).sort()) {
    const content = readFileSync(join(ROOT, file));
    digest.update(`\n${file} ${content.length}\n`).update(content);
  }
  return digest.digest('hex').slice(0, 24);
}

/** Runs the app in a separate process, as the CDK command line does: bundling is synchronous and writes to the terminal. */
async function synthesizeInto(outdir: string): Promise<void> {
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(readContext()) };
  try {
    await promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: ROOT, env });
  } catch (error) {
    rmSync(outdir, { recursive: true, force: true });
    throw new Error(`the CDK app cannot be synthesized: ${error instanceof Error ? error.message : error}`);
  }
}

function removeOldest(cache: string): void {
  const entries = readdirSync(cache).map((name) => join(cache, name));
  const age = new Map(entries.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
  const oldest = entries.sort((a, b) => (age.get(b) ?? 0) - (age.get(a) ?? 0)).slice(MAX_CACHED);
  for (const path of oldest) rmSync(path, { recursive: true, force: true });
}
