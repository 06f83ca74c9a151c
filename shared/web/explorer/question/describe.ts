import type { Catalogue } from './catalogue.ts';
import type { Question } from './question.ts';

/** Metrics named in a title; more are counted, unless there is only one more. */
const MAX_NAMED = 3;

/** @returns the question in words: `Cost, Clicks, Impressions and 2 more by Campaign` */
export function describeQuestion(
  { metrics, dimensions }: Pick<Question, 'metrics' | 'dimensions'>,
  catalogue: Catalogue,
): string {
  const title = (name: string) => catalogue.titleOf(name);
  const named = metrics.slice(0, metrics.length === MAX_NAMED + 1 ? metrics.length : MAX_NAMED).map(title);
  const more = metrics.length - named.length;
  const what = join(more > 0 ? [...named, `${more} more`] : named);
  const by = join(dimensions.map(title));
  if (what === '') return by === '' ? 'New report' : `All values of ${by}`;
  return by === '' ? what : `${what} by ${by}`;
}

function join(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
