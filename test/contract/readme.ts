import { readFileSync } from 'node:fs';

/** The API's reference page. */
export const PAGE = readFileSync(new URL('../../functions/README.md', import.meta.url), 'utf8');

export interface Recipe {
  readonly title: string;
  /** The path after `/v2`. */
  readonly path: string;
  readonly request: string;
  /** Excerpt of the response. */
  readonly response: string;
}

/** The recipes of the cookbook. */
export const RECIPES: readonly Recipe[] = PAGE.split('\n### ').flatMap((section) => {
  const recipe = /^(\d+\. .*)\n[\s\S]*`POST (.*)`\n\n```json\n([^`]*)```\n\n```json\n([^`]*)```\n$/.exec(section);
  const [, title = '', path = '', request = '', response = ''] = recipe ?? [];
  return recipe === null ? [] : [{ title, path, request, response }];
});

/** @returns the cells of the rows of the page's table under the given header row */
export function tableUnder(header: string, page = PAGE): string[][] {
  const [, rows = ''] = page.split(`${header}\n`)[1]?.match(/^\|[-| ]+\n((?:\|.*\n)+)/) ?? [];
  const lines = rows.split('\n').filter((line) => line !== '');
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
