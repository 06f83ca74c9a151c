import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
 * @param only the packages to install, in the versions of the file; all by default
 * @returns the tools; dispose them after their use
 * @throws Error if there is no suitable Python, `only` names a package that the file lacks, or the installation fails; tests are not skipped
 */
export function installPythonTools(requirements: string, only?: readonly string[]): PythonTools {
  requirePython();
  const folder = mkdtempSync(join(tmpdir(), 'endcap-python-'));
  const bin = (name: string) => join(folder, 'bin', name);
  const tools = { bin, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-compile'];
  const file = join(import.meta.dirname, '..', requirements);
  try {
    const packages = only === undefined ? ['--requirement', file] : only.map((name) => findPinned(name, file));
    run('python3', ['-m', 'venv', folder]);
    run(bin('python'), ['-m', 'pip', 'install', ...quiet, ...packages]);
    return tools;
  } catch (error) {
    tools[Symbol.dispose]();
    throw error;
  }
}

/** @returns the line of a package in a requirements file, such as `pandas==3.1.1` */
function findPinned(name: string, file: string): string {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name}==`));
  if (line === undefined) throw new Error(`${file} does not have ${name}`);
  return line;
}

function requirePython(): void {
  const needed = 'the tests need Python 3.11 or newer with venv and pip';
  try {
    run('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))']);
  } catch (error) {
    throw new Error(`${needed}: ${error instanceof Error ? error.message : error}`);
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}
