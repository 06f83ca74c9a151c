import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { CLI } from './run-command.ts';

/** Sends the request of a curl command with `-H 'name: value'`, `-d 'body'` and a URL. @returns the body of a 200 response */
export async function sendCurl(line: string): Promise<string> {
  const [, ...words] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const headers = words.filter((_, index) => words[index - 1] === '-H').map((header) => header.split(': '));
  const data = words.filter((_, index) => ['-d', '--data-urlencode'].includes(words[index - 1] ?? ''));
  const url = new URL(words.find((word) => /^https?:/.test(word)) ?? '');
  const isGet = words.includes('-G');
  if (isGet) url.search = String(new URLSearchParams(data.map((parameter) => parameter.split(/=(.*)/s).slice(0, 2))));
  const sent = isGet || data.length === 0 ? {} : { method: 'POST', body: data.join('&') };
  const response = await fetch(url, { headers: Object.fromEntries(headers), ...sent });
  expect(response.status).toBe(200);
  return response.text();
}

export interface Running {
  readonly child: ChildProcess;
  /** The base URL, including the stage. */
  readonly base: string;
  printed(): string;
}

/** Starts `npm start` on the data folder. @param options.throughShell starts it through a shell, as npm does; the child is then the shell */
export async function startStage(
  folder: string,
  options: { throughShell?: boolean; args?: string[] } = {},
): Promise<Running> {
  const env = { ...process.env, PORT: '0', DATA_DIR: folder, npm_lifecycle_event: 'start' };
  const command = [process.execPath, join(CLI, 'start.ts'), ...(options.args ?? [])] as const;
  const [program, ...args] = options.throughShell === true ? ['sh', '-c', '"$@"; exit', 'sh', ...command] : command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  while (!text.includes('Stop with')) {
    if (child.exitCode !== null) throw new Error(`npm start ended: ${text}`);
    await sleep(20);
  }
  return { child, base: /Endcap is at +(\S+)/.exec(text)?.[1] ?? '', printed: () => text };
}
