import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../infra/config/routes.ts';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';

const KEY = 'ecap_demo_agency';

/** What each client prints: the first account and the number of accounts; the number of campaigns and the one with the highest cost; the problem of a report. */
const PRINTED = [
  'Finchwater Media – Center Store 3',
  '19 Saltlark Always On Search 38573 462.62',
  '422 INVALID_REQUEST',
  '',
].join('\n');

const folder = mkdtempSync(join(tmpdir(), 'endcap-generators-'));
const document = join(folder, 'openapi.json');
let stage: TestStage;
let tools: PythonTools;
beforeAll(async () => {
  tools = installPythonTools('clients/requirements-generators.txt');
  stage = await startTestStage({ demo: true });
  writeFileSync(document, JSON.stringify(buildOpenApi(ROUTES, { version: '1.0.0', serverUrl: await stage.url() })));
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

/** @returns what the command writes to standard output; the tools of Python come first in its path */
async function run(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: [dirname(tools.bin('python')), process.env.PATH].join(delimiter) };
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env, maxBuffer: 1e8 });
  return stdout;
}

describe('the OpenAPI document yields a client that works', () => {
  test('in Python, from openapi-python-client', async () => {
    const client = join(folder, 'python');
    await run('openapi-python-client', 'generate', '--path', document, '--output-path', client);
    const script = join(import.meta.dirname, 'call_generated.py');
    expect(await run('python', script, client, await stage.url(), KEY)).toBe(PRINTED);
  });

  test('in TypeScript, from openapi-typescript and openapi-fetch, with the types of JSON', async () => {
    const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@24.19.2'];
    const call = 'call-generated.mjs';
    copyFileSync(join(import.meta.dirname, call), join(folder, call));
    await run('npm', 'install', '--silent', '--no-save', '--ignore-scripts', '--prefix', folder, ...packages);
    const bin = (name: string) => join(folder, 'node_modules/.bin', name);
    await run(bin('openapi-typescript'), document, '--output', join(folder, 'schema.d.ts'));
    await run(bin('tsc'), ...'--strict --noEmit --allowJs --checkJs --skipLibCheck --module nodenext'.split(' '), call);
    expect(await run(process.execPath, call, await stage.url(), KEY)).toBe(PRINTED);
  });

  /** Versions 7.9 to 7.20 stop at descriptions of an enumeration that are not a list. */
  test.each(['7.9.0', '7.25.0'])('in Java, from openapi-generator %s', async (version) => {
    const client = join(folder, `java-${version}`);
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${version}`;
    await run('mvn', '--batch-mode', '--quiet', 'dependency:copy', artifact, `-DoutputDirectory=${folder}`);
    const jar = join(folder, `openapi-generator-cli-${version}.jar`);
    await run('java', '-jar', jar, 'generate', '-i', document, '-g', 'java', '--library', 'native', '-o', client);
    copyFileSync(join(import.meta.dirname, 'Main.java'), join(client, 'src/main/java/Main.java'));
    const quiet = ['--batch-mode', '--quiet', '--file', join(client, 'pom.xml')];
    const classPath = join(client, 'classpath.txt');
    await run('mvn', ...quiet, 'compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classPath}`);
    const options = ['-Dfile.encoding=UTF-8', '-Dstdout.encoding=UTF-8', '-cp'];
    const libraries = readFileSync(classPath, 'utf8');
    expect(
      await run(
        'java',
        ...options,
        `${join(client, 'target/classes')}${delimiter}${libraries}`,
        'Main',
        await stage.url(),
        KEY,
      ),
    ).toBe(PRINTED);
  });
});
