import type { ReportHeader } from '../../../../shared/web/client/client.ts';

const NO_VALUE = '–';

/** @returns the value as a person reads it, without a currency sign: `1,234`, `462.62`, `1.39 %` */
export function formatValue(value: string | number | null | undefined, { type, unit }: ReportHeader): string {
  if (value === null || value === undefined) return NO_VALUE;
  if (typeof value === 'string') return value;
  if (unit === 'fraction') return `${(value * 100).toLocaleString('en-US', fixed(2))} %`;
  // integers without a unit are ids and hours, which have no thousands separators
  if (type !== 'decimal') return unit === null ? String(value) : value.toLocaleString('en-US');
  return value.toLocaleString('en-US', fixed(2));
}

const fixed = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @returns the name of the column, with the currency of amounts */
export function formatHeader({ name, unit }: ReportHeader): string {
  const isCurrency = unit !== null && /^[A-Z]{3}$/.test(unit);
  return isCurrency ? `${name} (${unit})` : name;
}
