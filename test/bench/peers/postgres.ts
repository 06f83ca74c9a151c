import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A PostgreSQL server with an empty database in a temporary folder, reached by a socket in it. */
export interface Postgres {
  readonly folder: string;
  readonly pid: number | undefined;
  close(): Promise<void>;
}

/** Debian's package; its server refuses to run as root, and then runs as the package's user. */
const PROGRAMS = '/usr/lib/postgresql';

export async function startPostgres(): Promise<Postgres> {
  const version = readdirSync(PROGRAMS).at(-1);
  if (version === undefined) throw new Error('PostgreSQL is missing: install the package postgresql');
  const program = (name: string) => join(PROGRAMS, version, 'bin', name);
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  const folder = mkdtempSync(join(tmpdir(), 'endcap-peers-'));
  chmodSync(folder, 0o755);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(program('initdb'), ['-D', data, '-U', 'bench', '--auth=trust'], { ...user, stdio: 'ignore' });
  const options = [
    '-c',
    'listen_addresses=',
    '-c',
    'shared_buffers=1GB',
    '-c',
    'work_mem=256MB',
    '-c',
    'max_wal_size=4GB',
  ];
  const server = spawn(program('postgres'), ['-D', data, '-k', folder, ...options], { ...user, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const isReady = () => {
    try {
      execFileSync(program('pg_isready'), ['-h', folder], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  while (!isReady() && server.exitCode === null) await sleep(100);
  return {
    folder,
    pid: server.pid,
    close: async () => {
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
