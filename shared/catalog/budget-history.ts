/** A budget from a day on, until the next one of the same campaign or ad group. */
export interface BudgetChange {
  /** `YYYY-MM-DD`. */
  readonly validFrom: string;
  /** In micros of the currency unit. */
  readonly budget: number;
  readonly budgetType: string;
}

/** @returns the changes as the text of a column, ascending by day; null where there are none */
export function formatBudgets(changes: readonly BudgetChange[]): string | null {
  const texts = changes.map(({ validFrom, budget, budgetType }) => `${validFrom} ${budget} ${budgetType}`);
  return texts.length === 0 ? null : texts.sort().join(',');
}

/** @returns the changes that `formatBudgets` wrote */
export function parseBudgets(text: unknown): BudgetChange[] {
  if (typeof text !== 'string') return [];
  return text.split(',').map((change) => {
    const [validFrom = '', budget, budgetType = ''] = change.split(' ');
    return { validFrom, budget: Number(budget), budgetType };
  });
}
