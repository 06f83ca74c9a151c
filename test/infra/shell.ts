import { delimiter, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The CDK command line, started as a global installation, an IDE or a CI action starts it. */
export const CDK = join(ROOT, 'node_modules/aws-cdk/bin/cdk');

/**
 * @param bin a folder with another `node` than that of the user's shell
 * @returns the environment of a shell outside of npm: without the variables and the folders of PATH that npm adds for its scripts
 */
export function shellEnvironment(bin?: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !/node_modules[\\/]\.bin$/.test(folder));
  return { ...Object.fromEntries(kept), PATH: [...(bin === undefined ? [] : [bin]), ...folders].join(delimiter) };
}
