import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { didYouMean } from '../../shared/catalog/describe/suggest.ts';
import { checkCustomFields } from './custom-fields.ts';
import { hasPrototypeKey } from './setting-parts.ts';
import { DOCUMENTATION, SETTINGS, type Settings } from './setting-schema.ts';

export type { Settings };

type Context = Readonly<Record<string, unknown>>;

/** The operator's own settings, beside `cdk.json`; git ignores it. */
const SETTINGS_FILE = 'endcap.settings.json';
const ROOT = join(import.meta.dirname, '../..');

/**
 * @returns the settings in the CDK context, with defaults. CDK's own keys, which contain `:` or `/`, are ignored.
 * @param file the file with settings, for messages
 * @throws an error that names the file, and lists every invalid setting with its valid values and an example, and every key that is not a setting
 */
export function readSettings(context: Context, file = SETTINGS_FILE): Settings {
  const given = Object.entries(context)
    .filter(([key]) => !/[:/]/.test(key))
    .map(([key, value]) => [key, fromCommandLine(value)] as const);
  const read = SETTINGS.safeParse(Object.fromEntries(given));
  const hidden = given.flatMap(([name, value]) => (hasPrototypeKey(value) ? [name] : []));
  if (read.success && hidden.length === 0) return read.data;
  const invalid = new Set<unknown>([...hidden, ...(read.error?.issues ?? []).map(({ path: [name] }) => name)]);
  const lines = given.flatMap(([name, value]) =>
    Object.hasOwn(SETTINGS.shape, name)
      ? invalid.has(name)
        ? [describeInvalid(name, value)]
        : []
      : [describeUnknown(name)],
  );
  throw new Error(`settings (in ${file}, or -c name=value) are not valid:\n${lines.join('\n')}`);
}

/**
 * @returns the settings of this clone: those in `cdk.json`, over them those in endcap.settings.json or in the file that the context names as `settings`,
 * over them those of the command line
 * @param context what the CDK command line passes: `cdk.json` with the values of `-c`; default: `cdk.json`
 * @param root the folder of `cdk.json`
 * @throws as `readSettings` and `checkCustomFields`; an error that names the file if it cannot be read
 */
export function readOwnSettings(context?: Context, root = ROOT): Settings {
  const defaults = readDefaults(root);
  const { settings: path, ...given } = context ?? defaults;
  const file = typeof path === 'string' ? path : join(root, SETTINGS_FILE);
  const own = path === undefined && !existsSync(file) ? {} : readJson(file);
  checkCustomFields();
  const changed = Object.entries(given).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return readSettings({ ...defaults, ...own, ...Object.fromEntries(changed) }, file);
}

/** @returns the context in `cdk.json`: CDK's feature flags, as of the first release, and settings that a file or the command line may replace */
export function readDefaults(root = ROOT): Context {
  return readJson(join(root, 'cdk.json')).context ?? {};
}

function readJson(file: string) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
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
  const [, schema = SETTINGS] = Object.entries(SETTINGS.shape).find(([other]) => other === name) ?? [];
  const { valid = validValues(schema), example } = DOCUMENTATION.get(schema) ?? {};
  return `  ${name} is ${JSON.stringify(value)}; it must be ${valid}, for example ${JSON.stringify(example)}`;
}

/** @returns the values of a boolean, or those that the schema lists */
function validValues(schema: z.ZodType): string {
  const { enum: values = [true, false] } = z.toJSONSchema(schema);
  return `one of ${values.join(', ')}`;
}

function describeUnknown(name: string): string {
  const names = Object.keys(SETTINGS.shape);
  return `  ${name} is not a setting${didYouMean(name, names)}; the settings are ${names.join(', ')}`;
}
