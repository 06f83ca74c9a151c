import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Python tools in a virtual environment, which stays in `node_modules/.cache` for the next file and the next run. */
export interface PythonTools {
  /** @returns the path of a tool, such as `python` */
  bin(name: string): string;
}

/**
 * Installs the packages of a requirements file, unless they are installed. Files that need the same packages must not run side by side.
 * @param requirements a path from the folder test/
 * @param only the packages to install, in the versions of the file; all by default
 * @throws Error if there is no suitable Python, `only` names a package that the file lacks, or the installation fails; tests are not skipped
 */
export function installPythonTools(requirements: string, only?: readonly string[]): PythonTools {
  const version = readPythonVersion();
  const file = join(import.meta.dirname, '..', requirements);
  const packages = only?.map((name) => findPinned(name, file)) ?? ['--requirement', file];
  const digest = createHash('sha256').update(JSON.stringify([version, packages, readFileSync(file, 'utf8')]));
  const folder = join(
    import.meta.dirname,
    '../../node_modules/.cache/endcap-python',
    digest.digest('hex').slice(0, 24),
  );
  const bin = (name: string) => join(folder, 'bin', name);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { bin };
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-compile'];
  rmSync(folder, { recursive: true, force: true }); // of an installation that was interrupted
  run('python3', ['-m', 'venv', folder]);
  run(bin('python'), ['-m', 'pip', 'install', ...quiet, ...packages]);
  writeFileSync(complete, '');
  return { bin };
}

/** @returns the line of a package in a requirements file, such as `pandas==3.1.1` */
function findPinned(name: string, file: string): string {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name}==`));
  if (line === undefined) throw new Error(`${file} does not have ${name}`);
  return line;
}

function readPythonVersion(): string {
  const needed = 'the tests need Python 3.11 or newer with venv and pip';
  try {
    return run('python3', [
      '-c',
      'import sys, venv, ensurepip; print(sys.version); sys.exit(sys.version_info < (3, 11))',
    ]);
  } catch (error) {
    throw new Error(`${needed}: ${error instanceof Error ? error.message : error}`);
  }
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
