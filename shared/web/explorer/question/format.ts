import { DAY_MS, dayNumber } from '../../../lib/calendar.ts';

/** 1970-01-04, as a day number. */
const FIRST_SUNDAY = 3;
const FULL_DATE = { year: 'numeric', month: 'short', day: 'numeric' } as const;
export const NO_VALUE = '–';

type Value = string | number | null | undefined;

/** What formats the values of a column; `unit` is a currency code or the name of a unit. */
interface FormattedColumn {
  readonly name: string;
  readonly type: string;
  readonly unit: string | null;
}

/** Formats values for a locale; `compact` is for axes. */
export class Formatter {
  /** Undefined for the browser's. */
  readonly #locale: string | undefined;
  readonly #numbers = new Map<string, Intl.NumberFormat>();
  readonly #dates = new Map<string, Intl.DateTimeFormat>();

  constructor(locale?: string) {
    this.#locale = locale;
  }

  value(column: FormattedColumn, value: Value): string {
    if (value === null || value === undefined) return NO_VALUE;
    if (typeof value === 'number' && column.name === 'weekday') return this.#weekday(value);
    if (typeof value === 'number') return this.#number(column, value, 'auto');
    return column.type === 'date' ? this.date(value, column.name) : value;
  }

  compact(column: FormattedColumn, value: number): string {
    const { unit } = column;
    const digits = value !== 0 && Math.abs(value) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
    const options: Intl.NumberFormatOptions =
      unit === 'fraction'
        ? { ...digits, style: 'percent' }
        : { ...digits, notation: 'compact', ...(isCurrency(unit) ? { style: 'currency', currency: unit } : {}) };
    return withMinus(this.#format(options).format(value));
  }

  /** A difference between values of the column, with its sign. */
  difference(column: FormattedColumn, value: number): string {
    if (column.unit === 'fraction')
      return `${this.#number({ ...column, unit: 'ratio' }, value * 100, 'exceptZero')} points`;
    return this.#number(column, value, 'exceptZero');
  }

  /** @returns a decimal number without an exponent, with all of its digits */
  exact(column: FormattedColumn, value: `${number}`): string {
    if (column.name === 'weekday') return this.#weekday(Number(value));
    return withMinus(this.#exact(column).format(value));
  }

  /** @returns as `exact`, without unit and grouping separators */
  exactDigits(column: FormattedColumn, value: `${number}`): string {
    const digits = new Set(['minusSign', 'integer', 'decimal', 'fraction']);
    const parts = this.#exact(column).formatToParts(value);
    return parts.flatMap((part) => (digits.has(part.type) ? [part.value] : [])).join('');
  }

  /** @returns the separators of numbers, and the sign of the column's unit: `$`, `%` or `h`, empty if it has none */
  notation(column: FormattedColumn): { readonly group: string; readonly decimal: string; readonly unit: string } {
    const parts = this.#exact(column).formatToParts(11_111.1111);
    const textOf = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
    const unit = textOf('currency') || textOf('percentSign') || unitLabel(column.unit);
    return { group: textOf('group'), decimal: textOf('decimal'), unit };
  }

  change(fraction: number): string {
    const digits = Math.abs(fraction) < 0.1 ? 1 : 0;
    const options = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: digits } as const;
    return withMinus(this.#format(options).format(fraction));
  }

  count(value: number): string {
    return this.#format({}).format(value);
  }

  /** @returns the count with its noun, which is given in the singular: `1 day`, `1,200 days` */
  counted(value: number, noun: string): string {
    return `${this.count(value)} ${noun}${value === 1 ? '' : 's'}`;
  }

  /** @param field the dimension: months and quarters are shown without a day */
  date(text: string, field = ''): string {
    if (field === 'quarter_date') return `Q${Math.ceil(Number(text.slice(5, 7)) / 3)} ${text.slice(0, 4)}`;
    return this.day(dayNumber(text), field === 'month_date' ? { year: 'numeric', month: 'long' } : FULL_DATE);
  }

  longDate(text: string): string {
    return this.day(dayNumber(text), { weekday: 'short', ...FULL_DATE });
  }

  range(startDate: string, endDate: string): string {
    return this.#date(FULL_DATE).formatRange(dayNumber(startDate) * DAY_MS, dayNumber(endDate) * DAY_MS);
  }

  /** @param options the parts of the date that are written */
  day(day: number, options: Intl.DateTimeFormatOptions): string {
    return this.#date(options).format(day * DAY_MS);
  }

  /** @param weekday 1 for Monday to 7 for Sunday */
  #weekday(weekday: number): string {
    return this.day(FIRST_SUNDAY + weekday, { weekday: 'long' });
  }

  /** Values below the last digit that is usually shown have two significant digits: $0.0042 instead of $0.00. */
  #number(column: FormattedColumn, value: number, signDisplay: 'auto' | 'exceptZero'): string {
    const options = { ...optionsOf(column), signDisplay };
    const usual = this.#format(options);
    const digits = usual.resolvedOptions().maximumFractionDigits ?? 0;
    const isSmall = value !== 0 && Math.abs(column.unit === 'fraction' ? value * 100 : value) < 10 ** -digits;
    const format = isSmall ? this.#format({ ...options, maximumSignificantDigits: 2 }) : usual;
    return withMinus(format.format(value));
  }

  /** Formats texts without rounding. */
  #exact({ unit }: FormattedColumn): Intl.NumberFormat {
    const options = { maximumFractionDigits: 20, trailingZeroDisplay: 'stripIfInteger' } as const;
    if (isCurrency(unit)) return this.#format({ style: 'currency', currency: unit, ...options });
    if (unit === 'fraction') return this.#format({ style: 'percent', ...options });
    return this.#format({ useGrouping: unit !== null, ...options });
  }

  #format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
    const key = JSON.stringify(options);
    const found = this.#numbers.get(key) ?? new Intl.NumberFormat(this.#locale, options);
    this.#numbers.set(key, found);
    return found;
  }

  #date(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const key = JSON.stringify(options);
    const found = this.#dates.get(key) ?? new Intl.DateTimeFormat(this.#locale, { ...options, timeZone: 'UTC' });
    this.#dates.set(key, found);
    return found;
  }
}

/** As the browser's user writes. */
export const format = new Formatter();

/** @returns the title; for decimals in seconds or hours with the unit, which the values do not show */
export function titleOf({ title, unit, type }: FormattedColumn & { readonly title: string }): string {
  const label = type === 'decimal' ? unitLabel(unit) : '';
  return label === '' ? title : `${title} (${label})`;
}

/** @returns the abbreviation of a unit of time; empty for other units, which need none beside a title */
export function unitLabel(unit: string | null): string {
  return unit === 'seconds' ? 's' : unit === 'hours' ? 'h' : '';
}

/** Intl writes a hyphen in most locales; a minus sign is as wide as a plus. */
function withMinus(text: string): string {
  return text.replace('-', '−');
}

export function isCurrency(unit: string | null): unit is string {
  return unit !== null && /^[A-Z]{3}$/.test(unit);
}

function optionsOf({ unit }: FormattedColumn): Intl.NumberFormatOptions {
  if (isCurrency(unit)) return { style: 'currency', currency: unit };
  const hundredths = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  if (unit === 'fraction') return { style: 'percent', ...hundredths };
  if (unit === 'ratio') return hundredths;
  if (unit === 'seconds' || unit === 'hours') return { maximumFractionDigits: 1 };
  // ids have no unit, and are not grouped
  return unit === null ? { useGrouping: false, maximumFractionDigits: 6 } : { maximumFractionDigits: 2 };
}
