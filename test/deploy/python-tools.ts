import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Python's tools in a folder of their own, which is gone after `using`. */
export interface PythonTools extends Disposable {
  /** @returns the path of one of the tools, `python` among them */
  bin(name: string): string;
}

/**
 * Installs the packages of a requirements file beside this one into a throw-away virtual environment.
 * @throws Error where there is no Python that can: nothing is passed over for the want of it
 */
export function installPythonTools(requirements: string): PythonTools {
  requirePython();
  const folder = mkdtempSync(join(tmpdir(), 'endcap-python-'));
  const bin = (name: string) => join(folder, 'bin', name);
  run('python3', ['-m', 'venv', folder]);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
  run(bin('python'), ['-m', 'pip', 'install', ...quiet, '--requirement', join(import.meta.dirname, requirements)]);
  return { bin, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

function requirePython(): void {
  const needed = 'Python 3.10 or newer with venv and pip is needed for the tests of the deployment';
  try {
    run('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']);
  } catch (error) {
    throw new Error(`${needed}: ${error instanceof Error ? error.message : error}`);
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}
