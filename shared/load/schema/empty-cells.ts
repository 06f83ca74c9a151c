/** The rows of a section without a value of a measure whose column the section has. Plain data, which threads send. */
export interface EmptyCells {
  readonly column: string;
  readonly rows: number;
  /** Of these rows; 0 in tables without impressions. */
  readonly impressions: number;
}

/** Sums up the empty cells of a load: one warning per measure of a fact table. A sum that lacks some rows may be far too low. */
export class EmptyCellCounts {
  readonly #tables = new Map<string, { rows: number; impressions: number; readonly cells: Map<string, EmptyCells> }>();

  /** @param where the files, for the warning @param rows of the section, and their impressions */
  add(where: string, rows: number, impressions: number, cells: readonly EmptyCells[]): void {
    const table = this.#tables.get(where) ?? { rows: 0, impressions: 0, cells: new Map<string, EmptyCells>() };
    this.#tables.set(where, table);
    table.rows += rows;
    table.impressions += impressions;
    for (const { column, ...own } of cells) {
      const found = table.cells.get(column) ?? { rows: 0, impressions: 0 };
      const sums = { rows: found.rows + own.rows, impressions: found.impressions + own.impressions };
      table.cells.set(column, { column, ...sums });
    }
  }

  /** @returns the warnings, without a final period */
  list(): string[] {
    return [...this.#tables].flatMap(([where, table]) =>
      [...table.cells.values()].map(({ column, rows, impressions }) => {
        const share =
          table.impressions === 0 ? '' : `, with ${percent(impressions / table.impressions)} of the impressions`;
        return `${where}: ${column}: empty in ${percent(rows / table.rows)} of the rows${share}; empty cells count as 0, or as unknown if the day has no other`;
      }),
    );
  }
}

/** Two significant digits: a share above 0 is never 0. */
function percent(share: number): string {
  return `${(share * 100).toLocaleString('en-US', { maximumSignificantDigits: 2 })} %`;
}
