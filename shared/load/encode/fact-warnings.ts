import { type Experience, type FactTable, type KeyColumn, TABLE_MEASURES } from '../../catalog/tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import { formatAmount } from '../../lib/format-amount.ts';
import { isNullWord } from '../schema/parse-value.ts';
import type { TimeZone } from '../schema/time-zone.ts';
import type { CodedFacts, References } from './code-facts.ts';

/** Suspicious facts: usually a mistake, but loaded with a warning. */
const DESCRIPTIONS = {
  skippedHour: (timeZone: string) => `rows in an hour that clocks in ${timeZone} skip on that day`,
  unknownCreative: () => 'rows with a creative_key that no creative has',
  unknownProduct: () => 'rows with an entity_id that is no product of the advertiser',
  nullKeyword: () => 'rows with a keyword that other programs write for NULL',
} as const;

/** Turns the findings of a load into warnings: one per kind, experience and fact table, however many rows have it. */
export class FactWarnings {
  readonly #timeZone: string;
  readonly #warnings = new Map<string, { rows: number; cost: number; readonly example: string }>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** @param facts what the findings are of */
  add(
    facts: { readonly experience: Experience; readonly table: FactTable; readonly file: string },
    findings: ReturnType<typeof checkFacts>,
  ): void {
    for (const { kind, rows, cost, example, line } of findings) {
      const text = `facts/${facts.experience}/${facts.table}*: ${DESCRIPTIONS[kind](this.#timeZone)}`;
      const warning = this.#warnings.get(text) ?? { rows: 0, cost: 0, example: `${example} (${facts.file}:${line})` };
      this.#warnings.set(text, warning);
      warning.rows += rows;
      warning.cost += cost;
    }
  }

  /** @returns each warning as a text without a final period */
  list(): string[] {
    return [...this.#warnings].map(([text, { rows, cost, example }]) => {
      const amount = formatAmount(cost / TABLE_MEASURES.delivery.cost);
      return `${text}: ${rows.toLocaleString('en-US')}${cost === 0 ? '' : ` at a cost of ${amount}`}, such as ${example}`;
    });
  }
}

/**
 * @param facts rows whose values are all valid
 * @returns the suspicious rows: of each kind, their number and (of keywords) their cost in micros, the first as an example, and its line
 */
export function checkFacts(
  { rows, keys, measures, advertisers, mayHaveNullWords }: CodedFacts,
  { creatives, products }: Pick<References, 'creatives' | 'products'>,
  zone: TimeZone,
  lineOf: (row: number) => number,
) {
  const readerOf = (name: KeyColumn) => {
    const { dictionary, codes } = keys.get(name) ?? { dictionary: [], codes: [] };
    return (row: number) => dictionary[codes[row] ?? 0] ?? null;
  };
  const [date, hour] = [readerOf('date'), readerOf('hour')];
  const [creative, product] = [readerOf('creative_key'), readerOf('entity_id')];
  const keyword = readerOf('keyword');
  const ownerOf = (row: number) => `in an ad group of advertiser ${advertisers[row]}`;
  return [
    ...(keys.has('hour')
      ? find(
          'skippedHour',
          (row) => zone.skippedHours(Number(date(row))).includes(Number(hour(row))),
          (row) => `hour ${hour(row)} of ${formatDay(Number(date(row)))}`,
        )
      : []),
    // an operator may load no creatives, as reports without names need none
    ...find(
      'unknownCreative',
      (row) => creatives.size > 0 && creative(row) !== null && !creatives.has(String(creative(row))),
      (row) => `${creative(row)} ${ownerOf(row)}`,
    ),
    ...find(
      'unknownProduct',
      (row) => product(row) !== null && products.get(advertisers[row] ?? 0)?.has(String(product(row))) !== true,
      (row) => `${product(row)} ${ownerOf(row)}`,
    ),
    ...(mayHaveNullWords
      ? find(
          'nullKeyword',
          (row) => isNullWord(keyword(row)),
          (row) => String(keyword(row)),
          measures.get('cost'),
        )
      : []),
  ];

  function find(
    kind: keyof typeof DESCRIPTIONS,
    isSuspicious: (row: number) => boolean,
    describe: (row: number) => string,
    costs?: Float64Array,
  ) {
    let [count, first, cost] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      if (!isSuspicious(row)) continue;
      if (count++ === 0) first = row;
      cost += costs?.[row] ?? 0;
    }
    return count === 0 ? [] : [{ kind, rows: count, cost, example: describe(first), line: lineOf(first) }];
  }
}
