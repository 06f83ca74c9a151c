/** The cost of a piece of work: elapsed time, and processor time of the whole process with all its threads. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** @returns the middle value, or of an even number of values the lower of the two in the middle */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[(values.length - 1) >> 1];
  if (middle === undefined) throw new Error('a median needs at least one value');
  return middle;
}

/** @returns the elapsed milliseconds of the work */
export async function timed(work: () => unknown): Promise<number> {
  return (await measure(work)).wallMs;
}

export async function measure(work: () => unknown): Promise<Cost> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/**
 * Runs each piece of work once per round, in alternating order, so that other load on the machine affects all of them alike.
 * @returns the medians over the rounds by name, separately for elapsed and for processor time
 */
export async function measureInTurn<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => unknown>>,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(works) as Name[]; // the record's own keys
  const costs = new Map<Name, Cost[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) costs.get(name)?.push(await measure(works[name]));
  }
  const medians = names.map((name) => [name, medianCost(costs.get(name) ?? [])] as const);
  return Object.fromEntries(medians) as Record<Name, Cost>; // one entry per name
}

function medianCost(costs: readonly Cost[]): Cost {
  return { wallMs: median(costs.map((cost) => cost.wallMs)), cpuMs: median(costs.map((cost) => cost.cpuMs)) };
}
