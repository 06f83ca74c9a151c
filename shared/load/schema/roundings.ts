/** The values of a column that had more decimals than are stored. Plain data, which threads send. */
export interface Rounding {
  readonly column: string;
  readonly places: number;
  readonly values: number;
  /** By how much rounding has changed their sum, in units of the last place. */
  readonly change: number;
}

/** Sums up the roundings of a load: one warning per column of a listing or fact table. */
export class Roundings {
  readonly #found = new Map<string, Rounding>();

  /** @param where the files, for the warning */
  add(where: string, roundings: readonly Rounding[]): void {
    for (const { column, places, values, change } of roundings) {
      const key = `${where}: ${column}`;
      const { values: count, change: sum } = this.#found.get(key) ?? { values: 0, change: 0 };
      this.#found.set(key, { column, places, values: count + values, change: sum + change });
    }
  }

  /** @returns the warnings, without a final period */
  list(): string[] {
    return [...this.#found].map(([key, { places, values, change }]) => {
      const digits = { maximumFractionDigits: places };
      const unit = (1 / 10 ** places).toLocaleString('en-US', digits);
      const by = Math.abs(change) < 1 ? `less than ${unit}` : (change / 10 ** places).toLocaleString('en-US', digits);
      return `${key}: values rounded to ${places} decimals: ${values.toLocaleString('en-US')}; their sum changes by ${by}`;
    });
  }
}
