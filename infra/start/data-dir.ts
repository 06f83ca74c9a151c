import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ENGINES, type EngineName } from '../emulator/services/table-engine.ts';

/** Rises when a folder written by this version would mean something else to the last one. */
const FORMAT_VERSION = 1;

const Format = z.object({ version: z.int(), engine: z.enum(ENGINES) });

/** What a running stage tells other processes on the machine. */
const Running = z.object({
  pid: z.int(),
  url: z.url(),
  dynamodb: z.url(),
  tableName: z.string(),
  timeZone: z.string(),
});
export type RunningStage = z.output<typeof Running>;

/** How far the demo network is: a load that was begun is repeated, whatever became of it; `declined` where there were data before it. */
const Demo = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['begun', 'loaded']), end: z.string() }),
  z.object({ state: z.literal('declined') }),
]);
export type DemoState = z.output<typeof Demo>;

/** The folder in which one machine keeps the table, the signing key and what processes tell each other. */
export interface DataDir {
  readonly path: string;
  readonly engine: EngineName;
  readDemo(): DemoState | undefined;
  writeDemo(state: DemoState): void;
  writeRunning(stage: RunningStage): void;
  removeRunning(): void;
}

/** @returns whether the folder is there and has been used */
export function holdsData(path: string): boolean {
  return existsSync(join(path, 'format.json'));
}

/**
 * Makes the folder on first use.
 * @throws an Error of one line where it cannot be used: not a folder, no rights, a newer format, another engine's data
 */
export function openDataDir(path: string, engine: EngineName): DataDir {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`the data folder ${path} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  const format = readJson(join(path, 'format.json'), Format);
  if (format === undefined) writeJson(join(path, 'format.json'), { version: FORMAT_VERSION, engine });
  else if (format.version > FORMAT_VERSION) {
    throw new Error(
      `the data folder ${path} has format ${format.version}, this version of Endcap knows ${FORMAT_VERSION}: use a newer one, or another folder`,
    );
  } else if (format.engine !== engine) {
    throw new Error(
      `the data folder ${path} is ${format.engine}'s: set DYNAMODB_ENGINE=${format.engine}, or use another folder`,
    );
  }
  return {
    path,
    engine,
    readDemo: () => readJson(join(path, 'demo.json'), Demo),
    writeDemo: (state) => writeJson(join(path, 'demo.json'), state),
    writeRunning: (stage) => writeJson(join(path, 'stage.json'), stage),
    removeRunning: () => rmSync(join(path, 'stage.json'), { force: true }),
  };
}

/** @returns the stage that runs on the folder now; one that was killed has left its file, but nobody answers where it says. */
export async function findRunningStage(path: string): Promise<RunningStage | undefined> {
  const stage = readJson(join(path, 'stage.json'), Running);
  if (stage === undefined) return undefined;
  const answers = await fetch(stage.dynamodb, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );
  return answers ? stage : undefined;
}

/** @returns undefined where there is no such file @throws an Error of one line where it is not what it should be */
function readJson<T>(file: string, schema: z.ZodType<T>): T | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged: it is not what Endcap writes there`);
  }
}

/** The file is there whole or not at all. */
function writeJson(file: string, content: object): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`);
  renameSync(draft, file);
}
