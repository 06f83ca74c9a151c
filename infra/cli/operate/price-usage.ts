export interface Usage {
  readonly requests: number;
  readonly gbSeconds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly signatures: number;
  readonly logBytes: number;
  readonly hours: number;
}

export const PRICES_OF = 'on-demand prices of us-east-1, 2026-11';
const HOURS_PER_MONTH = 730;
/** In USD per unit, as in infra/README.md. Requests: gateway, firewall and invocations. Hours: firewall, dashboard, alarms and three keys. */
const PRICES: readonly (readonly [keyof Usage, number])[] = [
  ['requests', (3.5 + 0.6 + 0.2) / 1e6],
  ['gbSeconds', 0.0000133334],
  ['readUnits', 0.125 / 1e6],
  ['writeUnits', 0.625 / 1e6],
  ['signatures', 0.15 / 1e4],
  ['logBytes', 0.5 / 2 ** 30],
  ['hours', (7 + 7.5 + 7.9 + 3) / HOURS_PER_MONTH],
];

/** @returns a table with the price of each unit, and the sum in USD, without storage, restored tables and free tiers */
export function priceUsage(usage: Usage): { readonly table: string[][]; readonly usd: number } {
  const rows = PRICES.map(([unit, price]) => [unit, usage[unit].toFixed(1), (usage[unit] * price).toFixed(4)]);
  const usd = PRICES.reduce((sum, [unit, price]) => sum + usage[unit] * price, 0);
  return { table: [['Unit', 'Amount', 'USD'], ...rows], usd };
}
