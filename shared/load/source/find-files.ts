import { EXPERIENCES, type Experience, FACT_TABLES, type FactTable } from '../../catalog/tables.ts';
import { didYouMean } from '../../contract/suggest.ts';
import { DELETIONS_FILE, LISTING_FILES, type ListingFile } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { SourceFile } from './file-source.ts';

export type Format = 'ndjson' | 'csv' | 'parquet';

/** A file of rows. */
export interface DataFile extends SourceFile {
  readonly format: Format;
  readonly gzipped: boolean;
}

export interface ListingDataFile extends DataFile {
  readonly listing: ListingFile;
  /** Whether its rows change some rows of the listing instead of replacing all. */
  readonly isPatch: boolean;
}

export interface FactDataFile extends DataFile {
  readonly experience: Experience;
  readonly table: FactTable;
}

/** A file that a folder has at most once. */
interface SingleDataFile extends DataFile {
  readonly holds: ListingFile | typeof DELETIONS_FILE;
  readonly isPatch: boolean;
}

/** The files of a folder. */
export interface FolderFiles {
  /** In the order of `LISTING_FILES`. */
  readonly listings: readonly ListingDataFile[];
  readonly facts: readonly FactDataFile[];
  /** The file of days to be emptied, if there is one. */
  readonly deletions: DataFile | undefined;
  /** Files that are not data, without hidden ones. */
  readonly ignored: readonly string[];
}

const FORMATS: Readonly<Record<string, Format>> = { ndjson: 'ndjson', jsonl: 'ndjson', csv: 'csv', parquet: 'parquet' };
const EXTENSIONS = Object.keys(FORMATS);
const DATA_NAME = new RegExp(`^(.+?)\\.(${EXTENSIONS.join('|')})(\\.gz)?$`);
/** Extensions that look like data: other table formats and archives. They are an error, so that no data are ignored. */
export const REJECTED_EXTENSIONS = [
  'json',
  'tsv',
  'xls',
  'xlsx',
  'arrow',
  'avro',
  'orc',
  'gz',
  'zst',
  'bz2',
  'zip',
] as const;
/** Also matches the formats themselves in another spelling or archive: `.CSV`, `.csv.7z`. */
const DATA_LIKE = new RegExp(`\\.(${REJECTED_EXTENSIONS.join('|')})$|\\.(${EXTENSIONS.join('|')})(\\.\\w+)?$`, 'i');
const FACT_NAME = new RegExp(`^(${FACT_TABLES.join('|')})`);

/** Follows the name of a listing in the name of its patch: `users.patch.csv`. */
const PATCH_SUFFIX = '.patch';

const SINGLE_FILES = [...LISTING_FILES, DELETIONS_FILE] as const;

const DOTTED = EXTENSIONS.map((extension) => `.${extension}`);

/** The files that a folder may have, for messages. */
export const EXPECTED_FILES = [
  `${SINGLE_FILES.join(', ')}, each as <name>${DOTTED.slice(0, -1).join(', ')} or ${DOTTED.at(-1)}, also with .gz`,
  `<listing>${PATCH_SUFFIX}.<${EXTENSIONS.join('|')}>[.gz], the rows to add, replace or remove`,
  `facts/<experience>/<table>*.<${EXTENSIONS.join('|')}>[.gz], experience ${EXPERIENCES.join(', ')}, table ${FACT_TABLES.join(', ')}`,
] as const;

/** @returns whether a text of the format may be a list, whose members are joined by `|` */
export function joinsLists(format: Format): boolean {
  return format === 'csv';
}

/**
 * Sorts a folder's files by what they hold, except hidden ones. A data file that is not expected is a problem, so that a misspelt name is not taken for absent
 * data; so is one that cannot be read, whatever its name: a broken link may stand for a folder. Other files are ignored. Problems go to `problems`.
 */
export function classifyFiles(files: readonly SourceFile[], problems: Problems): FolderFiles {
  const singles = new Map<SingleDataFile['holds'], SingleDataFile>();
  const facts: FactDataFile[] = [];
  const factNames = new Map<string, string>();
  const ignored: string[] = [];
  for (const file of files) {
    if (isHidden(file.name)) continue;
    const match = file.defect ?? matchFile(file);
    if (match === undefined) {
      ignored.push(file.name);
    } else if (typeof match === 'string') {
      problems.addFile(file.name, match);
    } else if ('table' in match) {
      // both would be loaded, and their rows added
      const unzipped = match.gzipped ? file.name.slice(0, -'.gz'.length) : file.name;
      const other = factNames.get(unzipped);
      factNames.set(unzipped, file.name);
      if (other === undefined) facts.push(match);
      else
        problems.addFile(file.name, `has the name of ${other}: one of them is probably a compressed copy of the other`);
    } else {
      const other = singles.get(match.holds);
      if (other === undefined) singles.set(match.holds, match);
      else problems.addFile(file.name, explainSecond(match, other));
    }
  }
  const listings = LISTING_FILES.flatMap((listing) => {
    const file = singles.get(listing);
    return file === undefined ? [] : [{ ...file, listing }];
  });
  return { listings, facts, deletions: singles.get(DELETIONS_FILE), ignored };
}

function explainSecond({ holds, isPatch }: SingleDataFile, first: SingleDataFile): string {
  return isPatch === first.isPatch
    ? `is a second file of ${holds}; the first is ${first.name}`
    : `cannot be loaded together with ${first.name}: ${holds} are either replaced as a whole or patched`;
}

/** @returns whether a file is ignored without a warning */
export function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.') || part.startsWith('_'));
}

/** @returns what the file is; the reason if it must be rejected; undefined if it is not data */
function matchFile(file: SourceFile): SingleDataFile | FactDataFile | string | undefined {
  const parts = file.name.split('/');
  const base = parts.at(-1) ?? '';
  const [, stem = '', extension = '', gz] = DATA_NAME.exec(base) ?? [];
  const format = FORMATS[extension];
  if (format === undefined) {
    return DATA_LIKE.test(base)
      ? `has an unsupported format; supported are ${DOTTED.join(', ')}, each also with .gz`
      : undefined;
  }
  const data = { ...file, format, gzipped: gz !== undefined };
  if (parts.length === 1) {
    const isPatch = stem.endsWith(PATCH_SUFFIX);
    const holds = isPatch
      ? LISTING_FILES.find((listing) => stem === `${listing}${PATCH_SUFFIX}`)
      : SINGLE_FILES.find((name) => name === stem);
    if (holds !== undefined) return { ...data, holds, isPatch };
    if (FACT_NAME.test(stem)) return `belongs in facts/<experience>/, experience ${EXPERIENCES.join(', ')}`;
    const expected = isPatch ? LISTING_FILES.map((listing) => `${listing}${PATCH_SUFFIX}`) : SINGLE_FILES;
    const suggestion = didYouMean(stem, expected);
    return `is not an expected file${suggestion}; expected are ${SINGLE_FILES.join(', ')}, and <listing>${PATCH_SUFFIX}`;
  }
  const [top, folder, ...deeper] = parts.slice(0, -1);
  if (top !== 'facts' || folder === undefined || deeper.length > 0) {
    return `is in the wrong folder: listing files belong in the folder itself, fact files in facts/<experience>/`;
  }
  const experience = EXPERIENCES.find((name) => name === folder);
  if (experience === undefined)
    return `is in facts/${folder}/, which is not one of ${EXPERIENCES.join(', ')}${didYouMean(folder, EXPERIENCES)}`;
  if (stem.endsWith(PATCH_SUFFIX)) return 'is a patch of facts, which does not exist: a fact file replaces whole days';
  const table = FACT_TABLES.find((name) => name === FACT_NAME.exec(stem)?.[1]);
  return table === undefined
    ? `is not a fact file${didYouMean(stem, FACT_TABLES)}; fact files are ${FACT_TABLES.map((name) => `${name}*`).join(', ')}`
    : { ...data, experience, table };
}
