import * as z from 'zod/mini';
import type { Problem } from '../load/schema/problems.ts';

/** The file that marks a folder as complete; its arrival starts the load. */
export const READY_FILE = '_READY';

/** A relative path without empty parts, and without parts that begin with `.` or `_`. */
const FILE_NAME = /^(?!.*(^|\/)([._]|\/|$))[^\\\p{Cc}]+$/u;

const NamedFile = z.strictObject(
  {
    name: z
      .string('must be a string')
      .check(
        z.maxLength(800, 'must have at most 800 characters'),
        z.regex(FILE_NAME, 'must be a relative path with / between its parts, none of which begins with . or _'),
      ),
    bytes: z.int('must be an integer ≥ 0').check(z.nonnegative('must be an integer ≥ 0')),
    sha256: z.string('must be a string').check(z.regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')),
  },
  { error: describeMembers('name, bytes and sha256') },
);

/** The content of `_READY`. */
const ReadyFile = z.strictObject(
  {
    /** Chosen by the writer of the file and repeated in the report. */
    id: z.optional(z.string('must be a string').check(z.maxLength(100, 'must have at most 100 characters'))),
    files: z.array(NamedFile, 'must be a list').check(z.minLength(1, 'must contain at least one file')),
  },
  { error: describeMembers('files and optionally id') },
);
export type ReadyFile = z.infer<typeof ReadyFile>;
export type NamedFile = z.infer<typeof NamedFile>;

/** @returns the content of `_READY`, or all problems with it */
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
    return [problemAt(['files', index, 'name'], `${name} is listed more than once`)];
  });
  return problems.length > 0 ? { problems } : { ready: read.data };
}

function problemAt(path: readonly PropertyKey[], reason: string): Problem {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return { file: READY_FILE, line: null, field: field === '' ? null : field.replace(/^\./, ''), reason };
}

/** @returns the function that describes an object with other members, or a value that is not an object */
function describeMembers(members: string): (issue: z.core.$ZodRawIssue) => string {
  return (issue) => {
    const unknown =
      issue.code === 'unrecognized_keys' && Array.isArray(issue.keys) ? `; not allowed: ${issue.keys.join(', ')}` : '';
    return `must be an object with ${members}${unknown}`;
  };
}
