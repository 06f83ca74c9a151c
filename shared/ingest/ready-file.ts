import * as z from 'zod/mini';
import type { Problem } from '../load/schema/problems.ts';

/** The file whose arrival says that a folder is complete; the loading begins with it. */
export const READY_FILE = '_READY';

/** A path below the folder: no part of it is empty or leads elsewhere, and none makes the file a hidden one. */
const NAME = /^(?!.*(^|\/)([._]|\/|$))[^\\\p{Cc}]+$/u;

const NamedFile = z.strictObject(
  {
    name: z
      .string('must be text')
      .check(z.maxLength(800, 'may have 800 characters'), z.regex(NAME, 'must be a path below the folder, with /')),
    bytes: z.int('must be a whole number').check(z.nonnegative('must be a whole number')),
    sha256: z.string('must be text').check(z.regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')),
  },
  { error: describeKeys('name, bytes and sha256') },
);

/** What `_READY` holds. */
const ReadyFile = z.strictObject(
  {
    /** Chosen by whoever writes it; the report bears it. */
    id: z.optional(z.string('must be text').check(z.maxLength(100, 'may have 100 characters'))),
    files: z.array(NamedFile, 'must be a list').check(z.minLength(1, 'must name at least one file')),
  },
  { error: describeKeys('files and, where you like, id') },
);
export type ReadyFile = z.infer<typeof ReadyFile>;
export type NamedFile = z.infer<typeof NamedFile>;

/** @returns what `_READY` says, or everything that is wrong with it */
export function parseReadyFile(text: string): { ready: ReadyFile } | { problems: Problem[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problems: [{ file: READY_FILE, line: null, field: null, reason: 'is not well-formed JSON' }] };
  }
  const read = ReadyFile.safeParse(json);
  if (!read.success) return { problems: read.error.issues.map(({ path, message }) => problemAt(path, message)) };
  const { files } = read.data;
  const seen = new Set<string>();
  const problems = files.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [problemAt(['files', index, 'name'], `${name} is named twice`)];
  });
  return problems.length > 0 ? { problems } : { ready: read.data };
}

function problemAt(path: readonly PropertyKey[], reason: string): Problem {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return { file: READY_FILE, line: null, field: field === '' ? null : field.replace(/^\./, ''), reason };
}

/** @returns what to say of an object that has other members than these, or is none */
function describeKeys(members: string): (issue: z.core.$ZodRawIssue) => string {
  return (issue) => {
    const others =
      issue.code === 'unrecognized_keys' && Array.isArray(issue.keys) ? ` and not ${issue.keys.join(', ')}` : '';
    return `must be an object with ${members}${others}`;
  };
}
