import { didYouMean } from '../../catalog/describe/suggest.ts';
import { EXPERIENCES, type Experience, FACT_TABLES, type FactTable } from '../../catalog/tables.ts';
import { DELETIONS_FILE, LISTING_FILES, type ListingFile } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { SourceFile } from './file-source.ts';

export type FileFormat = 'ndjson' | 'csv' | 'parquet';

/** A file of rows. */
export interface DataFile extends SourceFile {
  /** Undefined if the file's name does not say: its first bytes decide. */
  readonly format: FileFormat | undefined;
  /** The columns that folders above the file name, as `daily_date=2026-02-27` does, with their value. */
  readonly partitions: readonly Partition[];
}

type Partition = readonly [column: string, value: string | null];

/** The files of one listing or of the deletions: one, or those of the folder with its name. */
export interface RowFiles<H = ListingFile | typeof DELETIONS_FILE> {
  readonly holds: H;
  /** The name of the file or folder. */
  readonly name: string;
  /** Whether the rows change some rows of the listing instead of replacing all. */
  readonly isPatch: boolean;
  readonly files: readonly DataFile[];
}

export interface FactDataFile extends DataFile {
  readonly experience: Experience;
  readonly table: FactTable;
}

/** The files of a folder. */
export interface FolderFiles {
  /** In the order of `LISTING_FILES`. */
  readonly listings: readonly RowFiles<ListingFile>[];
  readonly facts: readonly FactDataFile[];
  /** The days to be emptied, if there are any. */
  readonly deletions: RowFiles | undefined;
  /** The file that maps the folder's columns, if there is one. */
  readonly columns: SourceFile | undefined;
  /** Files that are not data, without hidden ones. */
  readonly ignored: readonly string[];
}

const FORMATS: Readonly<Record<string, FileFormat>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'ndjson',
  csv: 'csv',
  parquet: 'parquet',
};
const EXTENSIONS = Object.keys(FORMATS);
const DATA_NAME = new RegExp(`^(.+?)(?:\\.(${EXTENSIONS.join('|')}))?(?:\\.(?:gz|gzip|zst|zstd))?$`, 'i');
/** Extensions that look like data: other table formats and archives. They are an error, so that no data are ignored. */
export const REJECTED_EXTENSIONS = ['tsv', 'xls', 'xlsx', 'arrow', 'avro', 'orc', 'bz2', 'zip'] as const;
/** Also matches the formats themselves in another archive: `.csv.7z`. */
const DATA_LIKE = new RegExp(`\\.(${REJECTED_EXTENSIONS.join('|')})$|\\.(${EXTENSIONS.join('|')})\\.\\w+$`, 'i');
const FACT_NAME = new RegExp(`^(${FACT_TABLES.join('|')})`);
const FACTS_FOLDER = 'facts';

/** Follows the name of a listing in the name of its patch: `users.patch.csv`. */
const PATCH_SUFFIX = '.patch';

/** Maps the folder's columns. */
export const COLUMNS_FILE = 'columns.json';

const SINGLES = [...LISTING_FILES, DELETIONS_FILE] as const;

const DOTTED = EXTENSIONS.map((extension) => `.${extension}`);

/** As Redshift, EMR and others name the parts of a table. */
const PART_OF_LISTING = new RegExp(`^(${SINGLES.join('|')})[_.-]?\\d`);

/** The files that a folder may have, for messages. */
export const EXPECTED_FILES = [
  `${SINGLES.join(', ')}, each as <name>${DOTTED.slice(0, -1).join(', ')} or ${DOTTED.at(-1)}, also with .gz or .zst, or as files in the folder <name>/`,
  `<listing>${PATCH_SUFFIX}.<${EXTENSIONS.join('|')}>[.gz|.zst], the rows to add, replace or remove`,
  `facts/<experience>/<table>*.<${EXTENSIONS.join('|')}>[.gz|.zst] or facts/<experience>/<table>*/, experience ${EXPERIENCES.join(', ')}, table ${FACT_TABLES.join(', ')}`,
  `${COLUMNS_FILE}, the names of columns that have other names in these files`,
] as const;

/**
 * Sorts a folder's files by what they hold, except hidden ones. A data file that is not expected is a problem, so that a misspelt name is not taken for absent
 * data; so is one that cannot be read, whatever its name: a broken link may stand for a folder. Other files are ignored, but not below `facts/`. Problems go to
 * `problems`.
 */
export function classifyFiles(files: readonly SourceFile[], problems: Problems): FolderFiles {
  const singles = new Map<RowFiles['holds'], RowFiles>();
  const facts: FactDataFile[] = [];
  const ignored: string[] = [];
  let columns: SourceFile | undefined;
  for (const file of files) {
    if (isHidden(file.name)) continue;
    const isIgnored = isFolderMark(file) || isUnderscored(file.name);
    const match = isIgnored ? undefined : (file.defect ?? matchFile(file));
    if (match === undefined) {
      ignored.push(file.name);
    } else if (typeof match === 'string') {
      problems.addFile(file.name, match);
    } else if ('table' in match) {
      facts.push(match);
    } else if ('holds' in match) {
      const other = singles.get(match.holds);
      if (other === undefined) singles.set(match.holds, match);
      else if (other.name === match.name)
        singles.set(match.holds, { ...other, files: [...other.files, ...match.files] });
      else problems.addFile(file.name, explainSecond(match, other));
    } else {
      columns = match.columns;
    }
  }
  const isListing = (single: RowFiles | undefined): single is RowFiles<ListingFile> => single !== undefined;
  const listings = LISTING_FILES.map((listing) => singles.get(listing)).filter(isListing);
  return { listings, facts, deletions: singles.get(DELETIONS_FILE), columns, ignored };
}

function explainSecond({ holds, isPatch }: RowFiles, first: RowFiles): string {
  return isPatch === first.isPatch
    ? `is a second file of ${holds}; the first is ${first.name}`
    : `cannot be loaded together with ${first.name}: ${holds} are either replaced as a whole or patched`;
}

/** @returns whether the file stands for a folder, as EMR and Hadoop write it into a bucket */
const isFolderMark = ({ name, bytes }: SourceFile) => bytes === 0 && name.endsWith('_$folder$');

/** @returns whether a file is ignored without a warning: it, or a folder above it, begins with `.` or `_`, except a file of data */
export function isHidden(name: string): boolean {
  if (isUnderscored(name)) return isHidden(name.slice(0, name.lastIndexOf('/')));
  return name.split('/').some((part) => part.startsWith('.') || part.startsWith('_'));
}

/** @returns whether the file is named as data are, but for a `_` in front, with which Spark names what is no data */
function isUnderscored(name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const extension = DATA_NAME.exec(base)?.[2];
  return base.startsWith('_') && extension !== undefined && extension !== 'json'; // reports of loads are _REPORT.json
}

/** @returns what the file is; the reason if it must be rejected; undefined if it is not data */
function matchFile(file: SourceFile): RowFiles | FactDataFile | { readonly columns: SourceFile } | string | undefined {
  if (file.name === COLUMNS_FILE) return { columns: file };
  const { folders, partitions, base } = parsePath(file.name);
  const [, stem = '', extension = ''] = DATA_NAME.exec(base) ?? [];
  const data = { ...file, format: FORMATS[extension.toLowerCase()], partitions };
  const [top = stem, ...below] = folders;
  const part = folders.length === 0 ? PART_OF_LISTING.exec(base)?.[1] : undefined;
  if (part !== undefined) return `looks like a part of ${part}: the parts of a listing belong in the folder ${part}/`;
  const isFact = top === FACTS_FOLDER && folders.length > 0;
  const single = matchSingle(top);
  if (data.format === undefined && (DATA_LIKE.test(stem) || !(isFact || single !== undefined))) {
    const isData = DATA_LIKE.test(stem) || stem !== base;
    return isData
      ? `has an unsupported format; supported are ${DOTTED.join(', ')}, each also with .gz or .zst`
      : undefined;
  }
  if (isFact) return matchFact(data, below, stem);
  if (single !== undefined) return { ...single, name: folders.length === 0 ? file.name : `${top}/`, files: [data] };
  if (folders.length > 0)
    return `is in the wrong folder${didYouMean(top, [FACTS_FOLDER, ...SINGLES])}: listing files belong in the folder itself or in <listing>/, fact files in facts/<experience>/`;
  if (FACT_NAME.test(stem)) return `belongs in facts/<experience>/, experience ${EXPERIENCES.join(', ')}`;
  const expected = stem.endsWith(PATCH_SUFFIX) ? LISTING_FILES.map((listing) => `${listing}${PATCH_SUFFIX}`) : SINGLES;
  return `is not an expected file${didYouMean(stem, expected)}; expected are ${SINGLES.join(', ')}, and <listing>${PATCH_SUFFIX}`;
}

function matchSingle(name: string): Pick<RowFiles, 'holds' | 'isPatch'> | undefined {
  const isPatch = name.endsWith(PATCH_SUFFIX);
  const holds = isPatch
    ? LISTING_FILES.find((listing) => name === `${listing}${PATCH_SUFFIX}`)
    : SINGLES.find((single) => name === single);
  return holds && { holds, isPatch };
}

/** @param below the folders below `facts`, without those that name columns. @returns the fact file, or why it is none */
function matchFact(data: DataFile, below: readonly string[], stem: string): FactDataFile | string {
  const isExperience = ([column]: Partition) => column.toLowerCase() === 'experience';
  const named = data.partitions.filter(isExperience).map(([, value]) => String(value));
  const [folder, ...inExperience] = [...new Set([...named, ...below.slice(0, 1)]), ...below.slice(1)];
  const experience = EXPERIENCES.find((name) => name === folder);
  if (folder === undefined) return `is not in a folder of an experience: ${EXPERIENCES.join(', ')}`;
  if (experience === undefined)
    return `is in facts/${folder}/, which is not one of ${EXPERIENCES.join(', ')}${didYouMean(folder, EXPERIENCES)}`;
  if (stem.endsWith(PATCH_SUFFIX)) return 'is a patch of facts, which does not exist: a fact file replaces whole days';
  const [name = stem] = inExperience;
  const table = FACT_TABLES.find((known) => known === FACT_NAME.exec(name)?.[1]);
  if (table === undefined)
    return `is not a fact file${didYouMean(name, FACT_TABLES)}; fact files are ${FACT_TABLES.map((known) => `${known}*`).join(', ')}`;
  const partitions = joinDate(data.partitions.filter((partition) => !isExperience(partition)));
  return { ...data, partitions, experience, table };
}

/** @returns the partitions, `year`, `month` and `day`, as Hive and Firehose write them, joined to the date */
function joinDate(partitions: readonly Partition[]): readonly Partition[] {
  const parts = ['year', 'month', 'day'].map((name) => partitions.find(([column]) => column.toLowerCase() === name));
  const [year, month, day] = parts.map((part) => part?.[1]?.padStart(2, '0'));
  if (year === undefined || month === undefined || day === undefined) return partitions;
  return [...partitions.filter((partition) => !parts.includes(partition)), ['daily_date', `${year}-${month}-${day}`]];
}

/** How Hive and those that follow it write a partition of rows without a value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** @returns the parts of a path; folders of the form `column=value` are partitions, as Hive, Spark, DuckDB and pandas write them */
function parsePath(path: string) {
  const parts = path.split('/');
  const base = parts.pop() ?? '';
  const folders: string[] = [];
  const partitions: Partition[] = [];
  for (const part of parts) {
    const [, column, value = ''] = /^([^=]+)=(.*)$/.exec(part) ?? [];
    if (column === undefined) folders.push(part);
    else partitions.push([decodePercent(column), value === NO_VALUE ? null : decodePercent(value)]);
  }
  return { folders, partitions, base };
}

/** Sequences that are not UTF-8 in percent signs stay as they are. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
