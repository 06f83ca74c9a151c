import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '../../shared/catalog/describe/suggest.ts';
import { DOCUMENTATION, SETTINGS, type Settings } from './setting-schema.ts';

export type { Settings };

/**
 * @returns the settings in the CDK context, with defaults. CDK's own keys, which contain `:` or `/`, are ignored.
 * @throws an error that lists every invalid setting with its valid values and an example, and every key that is not a setting; otherwise an error if
 * settings contradict each other or are too long together
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const given = Object.entries(context)
    .filter(([key]) => !/[:/]/.test(key))
    .map(([key, value]) => [key, fromCommandLine(value)] as const);
  const read = SETTINGS.safeParse(Object.fromEntries(given));
  if (read.success) return requireConsistency(read.data);
  const invalid = new Set(read.error.issues.map(({ path: [name] }) => name));
  const lines = given.flatMap(([name, value]) =>
    Object.hasOwn(SETTINGS.shape, name)
      ? invalid.has(name)
        ? [describeInvalid(name, value)]
        : []
      : [describeUnknown(name)],
  );
  throw new Error(`settings (cdk.json "context", or -c name=value) are not valid:\n${lines.join('\n')}`);
}

/** @returns the context in `cdk.json`, for use without the CDK command line */
export function readContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')).context ?? {};
}

/** Values on the command line are text, such as `-c logRetentionDays=7`. */
function fromCommandLine(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function describeInvalid(name: string, value: unknown): string {
  const [, schema] = Object.entries(SETTINGS.shape).find(([other]) => other === name) ?? [];
  const { valid, example } = (schema && DOCUMENTATION.get(schema)) ?? {};
  return `  ${name} is ${JSON.stringify(value)}; it must be ${valid}, for example ${JSON.stringify(example)}`;
}

function describeUnknown(name: string): string {
  const names = Object.keys(SETTINGS.shape);
  return `  ${name} is not a setting${didYouMean(name, names)}; the settings are ${names.join(', ')}`;
}

/** @throws an error if settings contradict each other */
function requireConsistency(settings: Settings): Settings {
  for (const [name, provisioned] of Object.entries(settings.provisionedConcurrency)) {
    const reserved = settings.reservedConcurrency[name];
    if (reserved === undefined || provisioned <= reserved) continue;
    throw new Error(
      `settings: provisionedConcurrency of ${name} is ${provisioned}; it must be at most its reservedConcurrency, ${reserved}`,
    );
  }
  return settings;
}
