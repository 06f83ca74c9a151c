import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';

/** The data folder, relative to the working directory, unless DATA_DIR names another one. */
export const DEFAULT_DATA_DIR = '.endcap';

/** Increase this when older versions cannot read folders that this version writes. */
const FORMAT_VERSION = 1;

const Format = z.object({ version: z.int() });

/** What a running local stage publishes to other processes on the machine. */
const Running = z.object({
  pid: z.int(),
  /** The base address without `/v2`: `http://localhost:3000`. */
  url: z.url(),
  dynamodb: z.url(),
  tableName: z.string(),
  timeZone: z.string(),
});
export type RunningStage = z.output<typeof Running>;

/**
 * The state of the demo network. `begun`: it is being loaded, or the load was interrupted, and the next start repeats it. `declined`: the folder held other
 * data, or `--no-demo` was given.
 */
const Demo = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['begun', 'loaded']), end: z.string() }),
  z.object({ state: z.literal('declined') }),
]);
type DemoState = z.output<typeof Demo>;

/** The folder that holds the table, the keys, and the state that the commands share. */
export interface DataDir {
  readonly path: string;
  readDemo(): DemoState | undefined;
  writeDemo(state: DemoState): void;
  writeRunning(stage: RunningStage): void;
  removeRunning(): void;
}

/** @returns whether the folder exists and has been used as a data folder */
export function holdsData(path: string): boolean {
  return existsSync(join(path, 'format.json'));
}

/**
 * Creates the folder on first use.
 * @throws an error with a one-line message if it cannot be used: not a folder, no permission, a damaged or newer format
 */
export function openDataDir(path: string): DataDir {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`the data folder ${path} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  const format = readJson(join(path, 'format.json'), Format);
  if (format === undefined) writeJson(join(path, 'format.json'), { version: FORMAT_VERSION });
  else if (format.version > FORMAT_VERSION) {
    throw new Error(
      `the data folder ${path} has format ${format.version}, but this version of Endcap supports only ${FORMAT_VERSION}: use a newer version, or another folder`,
    );
  }
  return {
    path,
    readDemo: () => readDemoState(path),
    writeDemo: (state) => writeJson(join(path, 'demo.json'), state),
    writeRunning: (stage) => writeJson(join(path, 'stage.json'), stage),
    removeRunning: () => rmSync(join(path, 'stage.json'), { force: true }),
  };
}

/** @returns the state of the demo network in a data folder; undefined if there is none yet. @throws an error with a one-line message if its file is unreadable or damaged */
export function readDemoState(path: string): DemoState | undefined {
  return readJson(join(path, 'demo.json'), Demo);
}

/**
 * @returns the local stage that currently uses the folder; undefined if there is none. A killed stage leaves its file behind, and another program may use its port, so both are checked: process and port
 * @throws an error with a one-line message if the file is unreadable or damaged
 */
export async function findRunningStage(path: string): Promise<RunningStage | undefined> {
  const stage = readJson(join(path, 'stage.json'), Running);
  return stage !== undefined && isAlive(stage.pid) && (await acceptsConnections(new URL(stage.dynamodb)))
    ? stage
    : undefined;
}

/** @returns whether a process with the id runs, of whatever user */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH'); // no such process
  }
}

/** Connects without a request: the operating system accepts a connection even if the process is too busy to respond. */
async function acceptsConnections({ hostname, port }: URL): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname, port: Number(port) });
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** @returns undefined if the file does not exist @throws an error with a one-line message if it is unreadable or not valid */
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
    throw new Error(`${file} is damaged: its content is not valid`);
  }
}

/** Writes the file atomically. */
function writeJson(file: string, content: object): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`);
  renameSync(draft, file);
}

/** With less, the table cannot go on. */
const MIN_FREE_BYTES = 1 << 20;

/** @returns an error that says so if the disk of the folder is full: the table then ends, so that its calls find nobody; else the error itself */
export async function explainFullDisk(folder: string, error: unknown): Promise<unknown> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return error;
  return new Error(`the disk of ${folder} is full: free some of it and try again`, { cause: error });
}
