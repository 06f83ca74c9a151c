import { type Random, randomFrom } from '../../oracle/random/random.ts';

const DEFAULT_MINUTES = 5;
const LONG_MINUTES = 20;

/** About how long the run may take on two quiet cores; numbers of random inputs grow with it. */
const MINUTES = Number(process.env.HOSTILE_MINUTES ?? DEFAULT_MINUTES);

/** Whether tests run that take minutes each. */
export const IS_LONG = MINUTES >= LONG_MINUTES;

/** The seed of all random choices. */
export const SEED = Number(process.env.HOSTILE_SEED ?? 1);

/** @returns the count for the budget; `count` is that for the default budget, and the minimum */
export function scaled(count: number): number {
  return Math.ceil(count * Math.max(1, MINUTES / DEFAULT_MINUTES));
}

/** @returns random choices of one part of a test, which do not depend on those of other parts */
export function randomOf(part: number): Random {
  return randomFrom(SEED * 1_000_003 + part);
}

/** Prints what a part has done: the test's proof of work, and the figures for test/README.md. */
export function printFigures(part: string, figures: Readonly<Record<string, number | string>>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${format(value)}`);
  process.stderr.write(`hostile ${part}: seed ${SEED}, ${shown.join(', ')}\n`);
}

function format(value: number | string): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 1 }) : value;
}
