/** The values of a column that had more decimals than are stored, or invisible characters. Plain data, which threads send. */
export interface Rounding {
  readonly column: string;
  /** The decimals that are stored; absent: invisible characters were removed. */
  readonly places?: number;
  readonly values: number;
  /** By how much rounding has changed their sum, in units of the last place. */
  readonly change: number;
}

/** Sums up the roundings of a load: one warning per kind and column of a listing or fact table. */
export class Roundings {
  readonly #found = new Map<string, Rounding & { readonly where: string }>();

  /** @param where the files, for the warning */
  add(where: string, roundings: readonly Rounding[]): void {
    for (const rounding of roundings) {
      const key = `${where}: ${rounding.column} ${rounding.places === undefined}`;
      const { values, change } = this.#found.get(key) ?? { values: 0, change: 0 };
      const sums = { values: values + rounding.values, change: change + rounding.change };
      this.#found.set(key, { ...rounding, ...sums, where: `${where}: ${rounding.column}` });
    }
  }

  /** @returns the warnings, without a final period */
  list(): string[] {
    return [...this.#found.values()].map(({ where, places, values, change }) => {
      const count = values.toLocaleString('en-US');
      if (places === undefined) return `${where}: values without the invisible characters that they had: ${count}`;
      const digits = { maximumFractionDigits: places };
      const unit = (1 / 10 ** places).toLocaleString('en-US', digits);
      const by = Math.abs(change) < 1 ? `less than ${unit}` : (change / 10 ** places).toLocaleString('en-US', digits);
      return `${where}: values rounded to ${places} decimals: ${count}; their sum changes by ${by}`;
    });
  }
}
