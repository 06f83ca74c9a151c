import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads the command line with `parseArgs`, and says in our own words, with the usage below, what it does not take.
 * @returns options and positionals; how many positionals there may be is the command's to check
 */
export function readArguments<const O extends Options>(options: O, usage: string) {
  const { tokens } = parseArgs({ options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    const refusal = token.kind === 'option' ? whyRefused(token, options) : undefined;
    if (refusal !== undefined) throw new Error(`${refusal}\n${usage}`);
  }
  return parseArgs({ options, allowPositionals: true });
}

interface Given {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function whyRefused({ name, rawName, value, inlineValue }: Given, options: Options): string | undefined {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) return `there is no option ${rawName}`;
  if (option.type === 'boolean') return value === undefined ? undefined : `${rawName} takes no value`;
  const isNextOption = inlineValue !== true && value?.startsWith('-') === true;
  return value === undefined || isNextOption ? `${rawName} needs a value` : undefined;
}
