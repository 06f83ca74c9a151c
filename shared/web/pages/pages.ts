import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_PATH } from '../../contract/problem.ts';
import { dayNumber, formatDay, yesterdayIn } from '../../lib/calendar.ts';
import { type FileFolder, openFiles, type PageFile, pageOf } from './page-files.ts';
import { textPages } from './text-pages.ts';
import { type Brand, type PageAssets, type PageSettings, writeDocsHtml, writeExplorerHtml } from './write-html.ts';

/** The content of the bundle's `entries.json`: the assets of each kind of page. */
export type PageEntries = Readonly<Record<FileFolder | 'text', PageAssets>>;

/** The days of the OpenAPI document's example in the bundle. `openPages` replaces them with the seven days that end on `exampleEnd`. */
export const PLACEHOLDER_PERIOD = { startDate: '1970-01-01', endDate: '1970-01-07' } as const;

interface PagesOptions extends PageSettings {
  /** The folder that `bundlePages` has written. */
  readonly folder: string;
  /** The last day of the OpenAPI document's example, `YYYY-MM-DD`; undefined = the day before the request. */
  readonly exampleEnd: string | undefined;
}

/** The OpenAPI document, and its conversion to version 3.0. */
const DOCUMENTS = ['/openapi.json', '/openapi-3.0.json'];

/** @returns a function that returns the page or file of a path, for a request to the host `origin`; undefined if there is none */
export function openPages(options: PagesOptions): (path: string, origin: string) => PageFile | undefined {
  const { folder } = options;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const { explorer, docs, text }: PageEntries = JSON.parse(read('entries.json'));
  const texts = [...textPages(options.brand)].map(
    ([path, write]) => [path, pageOf('text/html; charset=utf-8', () => write(text))] as const,
  );
  const files = new Map([
    ...openFiles(folder),
    ...texts,
    ['/explorer', pageOf('text/html; charset=utf-8', () => writeExplorerHtml(explorer, options))],
    ['/docs', pageOf('text/html; charset=utf-8', () => writeDocsHtml(docs, options))],
  ]);
  const documents = new Map<string, { readonly version: string; readonly page: PageFile }>();
  const openDocument = (path: string, origin: string) => {
    const end = options.exampleEnd ?? yesterdayIn(options.timeZone);
    const version = `${end} ${origin}`;
    const last = documents.get(path);
    if (last?.version === version) return last.page;
    const page = pageOf(JSON_TYPE, () => fillIn(read(path), end, origin, options.brand));
    documents.set(path, { version, page });
    return page;
  };
  return (path, origin) => (DOCUMENTS.includes(path) ? openDocument(path, origin) : files.get(path));
}

const JSON_TYPE = 'application/json; charset=utf-8';

function fillIn(document: string, exampleEnd: string, origin: string, { name = 'Endcap' }: Brand): string {
  const last = dayNumber(exampleEnd);
  return document
    .replace('"title":"Endcap"', () => `"title":${JSON.stringify(name)}`)
    .replace(`"url":"${BASE_PATH}"`, () => `"url":${JSON.stringify(origin + BASE_PATH)}`)
    .replaceAll(`"${PLACEHOLDER_PERIOD.startDate}"`, `"${formatDay(last - 6)}"`)
    .replaceAll(`"${PLACEHOLDER_PERIOD.endDate}"`, `"${formatDay(last)}"`);
}
