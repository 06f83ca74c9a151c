import { median } from './bench-row.ts';

/** What a piece of work took: time on the clock, and processor time of the whole process with all its threads. */
export interface Spent {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export async function spend(work: () => unknown): Promise<Spent> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/**
 * Does each of the pieces of work once a round, in turn, and in the other order every second round, so that what disturbs the machine disturbs all alike.
 * @returns each one's medians over the rounds; wall and processor time each have a median of their own
 */
export async function spendInTurn<Side extends string>(
  rounds: number,
  sides: Readonly<Record<Side, () => unknown>>,
): Promise<Record<Side, Spent>> {
  const names = Object.keys(sides) as Side[]; // the record's own keys
  const spent = new Map<Side, Spent[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) spent.get(name)?.push(await spend(sides[name]));
  }
  const medians = names.map((name) => [name, medianOf(spent.get(name) ?? [])] as const);
  return Object.fromEntries(medians) as Record<Side, Spent>; // one for each of the names
}

function medianOf(spent: readonly Spent[]): Spent {
  return { wallMs: median(spent.map((it) => it.wallMs)), cpuMs: median(spent.map((it) => it.cpuMs)) };
}
