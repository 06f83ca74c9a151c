import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * @returns options and positionals; the command checks the number of positionals
 * @throws Error with the problem and the usage if an option does not exist, a boolean option has a value, or another option has none
 */
export function readArguments<const O extends NonNullable<ParseArgsConfig['options']>>(options: O, usage: string) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}
