import * as z from 'zod/mini';
import { MAX_PROBLEMS, type Problem } from '../load/schema/problems.ts';
import { isReplaceMode, REPLACE_RULE, type ReplaceMode } from '../load/schema/replace-modes.ts';

/** The file that marks a folder as complete; its arrival starts the load. */
export const READY_FILE = '_READY';

/** Users are loaded from folders below this prefix only, where the bucket lets only the roles of the setting `userUploaders` write. */
export const USERS_PREFIX = 'with-users/';

/** What Spark, Glue and EMR write when a dataset is complete: the same as an empty `_READY`, whatever it holds. */
export const SUCCESS_FILE = '_SUCCESS';

/** A relative path without empty parts, parts that begin with `.` or `_`, backslashes and control characters. */
const FILE_NAME = /^(?!.*(^|\/)([._]|\/|$))[^\\\p{Cc}]+$/su;

/** The name of a file in `_READY`: its path below the folder. */
export const FileName = z.string('must be a string').check(
  z.maxLength(800, 'must have at most 800 characters'),
  z.refine((name) => name.isWellFormed(), 'has characters that are not Unicode'),
  z.regex(
    FILE_NAME,
    'must be a relative path with / between its parts, none of which begins with . or _, without backslashes and control characters',
  ),
);

const NamedFile = z.strictObject(
  {
    name: FileName,
    bytes: z.int('must be an integer ≥ 0').check(z.nonnegative('must be an integer ≥ 0')),
    sha256: z.string('must be a string').check(z.regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')),
  },
  { error: describeMembers('name, bytes and sha256') },
);

/** The content of `_READY`, whose files are not checked yet. */
const Content = z.strictObject(
  {
    /** Chosen by the writer of the file and repeated in the report. */
    id: z.optional(z.string('must be a string').check(z.maxLength(100, 'must have at most 100 characters'))),
    /** What the folder's facts replace; absent as for `loadFolder`. */
    replace: z.optional(z.custom<ReplaceMode>(isReplaceMode, REPLACE_RULE)),
    /** Whether nothing is written, and the report says what would change. */
    check: z.optional(z.boolean('must be true or false')),
    /** Whether days beyond `maxDrop` and `maxGrowth` are loaded with a warning. */
    accept: z.optional(z.boolean('must be true or false')),
    /** Absent: all files below the prefix. */
    files: z.optional(z.array(z.unknown(), 'must be a list').check(z.minLength(1, 'must contain at least one file'))),
  },
  { error: describeMembers('files, id, replace, check and accept, all optional') },
);
export type NamedFile = z.infer<typeof NamedFile>;
export interface ReadyFile {
  readonly id?: string | undefined;
  readonly replace?: ReplaceMode | undefined;
  readonly check?: boolean | undefined;
  readonly accept?: boolean | undefined;
  /** None: all files below the prefix. */
  readonly files: readonly NamedFile[];
}

/** @returns the content of `_READY`, or the problems with it; files after the first MAX_PROBLEMS problems are not checked */
export function parseReadyFile(text: string): { ready: ReadyFile } | { problems: Problem[] } {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, '')); // data files may have a byte order mark, too
  } catch {
    return { problems: [{ file: READY_FILE, line: null, field: null, reason: 'is not well-formed JSON' }] };
  }
  const read = Content.safeParse(json);
  const problems = read.success ? [] : problemsOf(read.error, []);
  const files: NamedFile[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of listOf(json).entries()) {
    if (problems.length >= MAX_PROBLEMS) break; // zod's own list of them may exceed the stack
    const file = NamedFile.safeParse(entry);
    if (!file.success) problems.push(...problemsOf(file.error, ['files', index]));
    else if (seen.has(file.data.name))
      problems.push(problemAt(['files', index, 'name'], `${file.data.name} is listed more than once`));
    else {
      seen.add(file.data.name);
      files.push(file.data);
    }
  }
  return read.success && problems.length === 0 ? { ready: { ...read.data, files } } : { problems };
}

/** @returns the entries of the member `files`; none if it is not a list */
function listOf(json: unknown): readonly unknown[] {
  const { files } = Object(json);
  return Array.isArray(files) ? files : [];
}

function problemsOf({ issues }: z.core.$ZodError, path: readonly PropertyKey[]): Problem[] {
  return issues.map((issue) => problemAt([...path, ...issue.path], issue.message));
}

function problemAt(path: readonly PropertyKey[], reason: string): Problem {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return { file: READY_FILE, line: null, field: field === '' ? null : field.replace(/^\./, ''), reason };
}

/** @returns zod's error function for an object: its message names the allowed members, and those that are not allowed */
function describeMembers(members: string): (issue: z.core.$ZodRawIssue) => string {
  return (issue) => {
    const unknown =
      issue.code === 'unrecognized_keys' && Array.isArray(issue.keys) ? `; not allowed: ${issue.keys.join(', ')}` : '';
    return `must be an object with ${members}${unknown}`;
  };
}
