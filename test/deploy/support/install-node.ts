import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellEnvironment } from '../../infra/shell.ts';

/** A version of Node in a temporary folder, which is deleted when it is disposed. */
export interface InstalledNode extends Disposable {
  /** The folder of its `node`, for PATH. */
  readonly bin: string;
}

/** The last versions of the older releases under which the commands are called. */
export type OlderNode = '20.20.2' | '22.23.3';

export function installNode(version: OlderNode): InstalledNode {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-node-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const args = ['install', '--no-audit', '--no-fund', `node@${version}`];
  execFileSync('npm', args, { cwd: folder, env: shellEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  return {
    bin: join(folder, 'node_modules/node/bin'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
