/** The values of a column that had more decimals than are stored. Plain data, which threads send. */
export interface Rounding {
  readonly column: string;
  readonly places: number;
  readonly values: number;
  /** By how much rounding has changed their sum, in units of the last place. */
  readonly change: number;
}

/** The values of a column of which invisible characters have been removed. */
export interface Removal {
  readonly column: string;
  readonly invisible: number;
}

/** Sums up what a load has changed in values: one warning per kind of change and column of a listing or fact table. */
export class Roundings {
  readonly #found = new Map<string, Rounding>();
  /** The number of values by column. */
  readonly #invisible = new Map<string, number>();

  /** @param where the files, for the warning */
  add(where: string, changes: readonly (Rounding | Removal)[]): void {
    for (const found of changes) {
      const key = `${where}: ${found.column}`;
      if ('invisible' in found) {
        this.#invisible.set(key, (this.#invisible.get(key) ?? 0) + found.invisible);
        continue;
      }
      const { column, places, values, change } = found;
      const { values: count, change: sum } = this.#found.get(key) ?? { values: 0, change: 0 };
      this.#found.set(key, { column, places, values: count + values, change: sum + change });
    }
  }

  /** @returns the warnings, without a final period */
  list(): string[] {
    const removals = [...this.#invisible].map(
      ([key, count]) =>
        `${key}: values without the invisible characters that they had: ${count.toLocaleString('en-US')}`,
    );
    const roundings = [...this.#found].map(([key, { places, values, change }]) => {
      const digits = { maximumFractionDigits: places };
      const unit = (1 / 10 ** places).toLocaleString('en-US', digits);
      const by = Math.abs(change) < 1 ? `less than ${unit}` : (change / 10 ** places).toLocaleString('en-US', digits);
      return `${key}: values rounded to ${places} decimals: ${values.toLocaleString('en-US')}; their sum changes by ${by}`;
    });
    return [...roundings, ...removals];
  }
}
