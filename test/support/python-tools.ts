import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Python tools in a temporary virtual environment, which is deleted when they are disposed. */
export interface PythonTools extends Disposable {
  /** @returns the path of a tool, such as `python` */
  bin(name: string): string;
}

/**
 * Installs the packages of a requirements file.
 * @param requirements a path from the folder test/
 * @throws an error if there is no suitable Python; tests are not skipped
 */
export function installPythonTools(requirements: string): PythonTools {
  requirePython();
  const folder = mkdtempSync(join(tmpdir(), 'endcap-python-'));
  const bin = (name: string) => join(folder, 'bin', name);
  run('python3', ['-m', 'venv', folder]);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-compile'];
  run(bin('python'), [
    '-m',
    'pip',
    'install',
    ...quiet,
    '--requirement',
    join(import.meta.dirname, '..', requirements),
  ]);
  return { bin, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

function requirePython(): void {
  const needed = 'the tests need Python 3.10 or newer with venv and pip';
  try {
    run('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']);
  } catch (error) {
    throw new Error(`${needed}: ${error instanceof Error ? error.message : error}`);
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}
