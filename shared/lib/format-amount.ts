/** @returns the number with all of its up to six decimals, so that no cost of a few micros is 0 */
export function formatAmount(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 6 });
}
