import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { STACK_ID } from '../../../infra/app.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../../infra/local/emulator/services/local-credentials.ts';
import { CDK, ROOT } from '../../infra/shell.ts';

const Outputs = z.object({
  [STACK_ID]: z.object({
    Url: z.url(),
    TableName: z.string(),
    SigningKeyId: z.string(),
    UserIdKeyArn: z.string(),
    BucketName: z.string(),
  }),
});
export type StackOutputs = z.output<typeof Outputs>[typeof STACK_ID];

/** The commands of an operator. */
export interface StackCommands {
  bootstrap(): Promise<void>;
  /** @param settings as `-c name=value` */
  deploy(settings?: Readonly<Record<string, string>>): Promise<StackOutputs>;
  destroy(): Promise<void>;
  load(folder: string, table: string): Promise<string>;
  /** Uploads the folder to the bucket, and waits until the stack has loaded it. */
  upload(folder: string, bucket: string): Promise<string>;
  createKey(user: string, table: string): Promise<{ key: string; id: string }>;
  revokeKey(user: string, id: string, table: string): Promise<void>;
  /** @returns everything that the CDK command line has printed so far */
  cdkOutput(): string;
  /** @returns what `npm run key -- list` printed */
  listKeys(user: string, table: string): Promise<string>;
  /** @returns what `npx endcap audit` printed about the last day */
  audit(table: string): Promise<string>;
}

/** @param folder for the files that the commands write */
export function stackCommands(environment: NodeJS.ProcessEnv, folder: string): StackCommands {
  let cdkOutput = '';
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(command, args, { cwd: ROOT, env: environment, maxBuffer: 2 ** 26 });
  const cdk = async (...args: string[]): Promise<void> => {
    const { stdout, stderr } = await run('node', CDK, ...args, '--output', join(folder, 'cdk.out'), '--ci', 'true');
    cdkOutput += stdout + stderr;
  };
  const npm = async (...args: string[]): Promise<string> => (await run('npm', 'run', '--silent', ...args)).stdout;
  const endcap = async (...args: string[]): Promise<string> => (await run('npx', 'endcap', ...args)).stdout;
  return {
    bootstrap: () => cdk('bootstrap', `aws://${LOCAL_ACCOUNT}/${LOCAL_REGION}`),
    deploy: async (settings = {}) => {
      const file = join(folder, 'outputs.json');
      const context = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      await cdk('deploy', '--require-approval', 'never', '--outputs-file', file, ...context);
      return Outputs.parse(JSON.parse(readFileSync(file, 'utf8')))[STACK_ID];
    },
    destroy: () => cdk('destroy', '--force'),
    load: (path, table) => npm('load', '--', path, '--table', table),
    upload: (path, bucket) => npm('load', '--', path, '--bucket', bucket),
    createKey: async (user, table) => {
      const output = await npm('key', '--', 'create', '--user', user, '--table', table);
      const [, key, id] = /^(ecap_\S+)\n[\s\S]*\n(\S+) {2}created/.exec(output) ?? [];
      if (key === undefined || id === undefined)
        throw new Error(`unexpected output of npm run key: ${output.replace(/ecap_\S+/, 'a key')}`);
      return { key, id };
    },
    revokeKey: async (user, id, table) => {
      await npm('key', '--', 'revoke', '--user', user, '--id', id, '--table', table);
    },
    listKeys: (user, table) => npm('key', '--', 'list', '--user', user, '--table', table),
    audit: (table) => endcap('audit', '--since', '1d', '--table', table),
    cdkOutput: () => cdkOutput,
  };
}
