import type { ComparedRow } from './compare-rows.ts';
import { type Question, withFields } from './question.ts';

/** @returns the dimension with the ids of a dimension with names: `campaign_id` of `campaign_name`; undefined if it has no names */
export function idOf(name: string): string | undefined {
  if (name === 'creative_name') return 'creative_key';
  return name.endsWith('_name') ? name.replace(/_name$/, '_id') : undefined;
}

/** @returns the question with the ids of a dimension with names after it; at the end for names that are only filtered */
export function withId(question: Question, name: string): Question {
  const { dimensions } = question;
  const at = dimensions.includes(name) ? dimensions.indexOf(name) + 1 : dimensions.length;
  return withFields(question, { dimensions: dimensions.toSpliced(at, 0, ...[idOf(name) ?? []].flat()) });
}

/** @returns the dimensions without the ids of names that are there, too */
export function withoutIds(dimensions: readonly string[]): readonly string[] {
  const ids = new Set(dimensions.map(idOf));
  return dimensions.filter((name) => !ids.has(name));
}

/** @returns headers and rows without the ids of names that are there, too: a name that stands for several ids has its id in parentheses */
export function tellApart<Header extends { readonly name: string }>(
  headers: readonly Header[],
  rows: readonly ComparedRow[],
): { readonly headers: readonly Header[]; readonly rows: readonly ComparedRow[] } {
  const kept = new Set(withoutIds(headers.map(({ name }) => name)));
  const named = headers.flatMap(({ name }) => {
    const id = idOf(name);
    if (id === undefined || kept.has(id) || !headers.some((header) => header.name === id)) return [];
    const ids = Map.groupBy(rows, ({ row }): unknown => row[name]);
    const isShared = (text: unknown) => new Set(ids.get(text)?.map(({ row }) => row[id])).size > 1;
    return [{ name, id, shared: new Set([...ids.keys()].filter(isShared)) }];
  });
  return {
    headers: headers.filter(({ name }) => kept.has(name)),
    rows: rows.map((compared) => {
      const names = named.flatMap(({ name, id, shared }) => {
        const { [name]: text, [id]: number } = compared.row;
        return shared.has(text) ? [[name, `${text ?? '(none)'} (${number})`]] : [];
      });
      return { ...compared, row: { ...compared.row, ...Object.fromEntries(names) } };
    }),
  };
}
