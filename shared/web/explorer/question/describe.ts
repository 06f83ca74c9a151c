import { formatDay } from '../../../lib/calendar.ts';
import { type Catalogue, experienceTitle } from './catalogue.ts';
import { showValue } from './filter-value.ts';
import type { Formatter } from './format.ts';
import { withoutIds } from './namesakes.ts';
import type { FieldFilter, Question } from './question.ts';

/** Names that are listed; more are counted, unless there is only one more. */
const MAX_NAMED = 3;

/** @returns the question in words: `Cost, Clicks, Impressions and 2 more by Campaign` */
export function describeQuestion(
  { metrics, dimensions }: Pick<Question, 'metrics' | 'dimensions'>,
  catalogue: Catalogue,
): string {
  const title = (name: string) => catalogue.titleOf(name);
  const what = nameSome(metrics.map(title));
  const by = join(withoutIds(dimensions).map(title));
  if (what === '') return by === '' ? 'New report' : `All values of ${by}`;
  return by === '' ? what : `${what} by ${by}`;
}

/**
 * @param listed the advertisers of the question's account, or of all
 * @returns whose data the question is about: `Finchwater Media: Crinklefen Foods and Saltlark`, or `all 3 accounts`
 */
export function describeOwners(
  { account, advertisers }: Pick<Question, 'account' | 'advertisers'>,
  accounts: readonly Named[],
  listed: readonly NamedAdvertiser[],
): string {
  const chosen = nameSome(advertisers.map((id) => nameAdvertiser(id, listed)));
  if (account === undefined && chosen !== '') return `advertisers ${chosen}`;
  if (account === undefined)
    return accounts.length === 1 ? accounts.map(({ name }) => name).join('') : `all ${accounts.length} accounts`;
  const owner = accounts.find(({ id }) => id === account)?.name ?? String(account);
  return chosen === '' ? owner : `${owner}: ${chosen}`;
}

interface Named {
  readonly id: number;
  readonly name: string;
}

export interface NamedAdvertiser extends Named {
  /** The name of an account that lists it. */
  readonly account: string;
}

/** @returns the advertiser's name, of namesakes with the account or, within one account, the id; its id if it is not listed */
export function nameAdvertiser(id: number, listed: readonly NamedAdvertiser[]): string {
  const found = listed.find((other) => other.id === id);
  if (found === undefined) return String(id);
  const namesakes = listed.filter((other) => other.id !== id && other.name === found.name);
  if (namesakes.length === 0) return found.name;
  return `${found.name} (${namesakes.some(({ account }) => account === found.account) ? id : found.account})`;
}

/** @returns the names; if they are many, the first of them and how many more there are */
export function nameSome(names: readonly string[]): string {
  const named = names.slice(0, names.length === MAX_NAMED + 1 ? names.length : MAX_NAMED);
  const more = names.length - named.length;
  return join(more > 0 ? [...named, `${more} more`] : named);
}

/** @returns what the figures are about, besides fields and period: `PLA`, the owners, and each filter */
export function describeScope(
  { experience, filters }: Pick<Question, 'experience' | 'filters'>,
  owners: string,
  catalogue: Catalogue,
  format: Formatter,
): readonly string[] {
  return [experienceTitle(experience), owners, ...filters.map((filter) => describeFilter(filter, catalogue, format))];
}

/** @returns the filter in words, with values as figures are shown: `Click-through rate > 1%` */
export function describeFilter(
  { field: name, operator, values }: FieldFilter,
  catalogue: Catalogue,
  format: Formatter,
): string {
  const { title = operator, values: arity } = catalogue.operator(operator) ?? {};
  const field = catalogue.field(name);
  const shown = values
    .slice(0, MAX_NAMED)
    .map((value) => (field === undefined ? value : showValue(field, value, format)));
  const more = values.length > MAX_NAMED ? ` and ${values.length - MAX_NAMED} more` : '';
  const named = arity === 'none' ? '' : ` ${shown.join(arity === 'two' ? ' and ' : ', ')}${more}`;
  return `${catalogue.titleOf(name)} ${title}${named}`;
}

/** @returns the runs of ascending days: `Mar 1, 2026; Mar 3 – 5, 2026` */
export function describeDays(days: readonly number[], format: Formatter): string {
  const runs: [number, number][] = [];
  for (const day of days) {
    const open = runs.at(-1);
    if (open !== undefined && open[1] === day - 1) open[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([first, last]) => format.range(formatDay(first), formatDay(last))).join('; ');
}

function join(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
