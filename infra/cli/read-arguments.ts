import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses the command line twice: leniently, to report a problem in one line and with the usage, and then strictly, which gives each option its type.
 * A value that begins with `-` must be written as `--option=value`.
 * @returns options and positionals; the command checks the number of positionals
 * @throws Error with the problem and the usage if an option does not exist, a boolean option has a value, or another option has none
 */
export function readArguments<const O extends Options>(options: O, usage: string) {
  const { tokens } = parseArgs({ options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    const problem = token.kind === 'option' ? findProblem(token, options) : undefined;
    if (problem !== undefined) throw new Error(`${problem}\n${usage}`);
  }
  return parseArgs({ options, allowPositionals: true });
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function findProblem({ name, rawName, value, inlineValue }: OptionToken, options: Options): string | undefined {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) return `there is no option ${rawName}`;
  if (option.type === 'boolean') return value === undefined ? undefined : `${rawName} takes no value`;
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) return `${rawName} needs a value`;
  const looksLikeOption = inlineValue !== true && value.startsWith('-');
  return looksLikeOption ? `${rawName} needs a value; write ${rawName}=${value} if it begins with -` : undefined;
}
