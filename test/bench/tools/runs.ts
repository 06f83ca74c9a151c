import { type Cost, median } from './timing.ts';

/** How often the same report runs in one process. */
export const RUNS = 40;
/** How many runs count: the first ones, while the code is still being compiled, and as many at the end. */
const COUNTED = 9;

/** @returns what a row of the benchmark shows of the costs of all RUNS of both sides, in the order in which they were measured */
export function compareRuns(own: readonly Cost[], peer: readonly Cost[]) {
  const [ownMs, peerMs] = [phases(own, 'wallMs'), phases(peer, 'wallMs')];
  const ratioOf = (phase: keyof typeof ownMs) => (ownMs[phase] / peerMs[phase]).toFixed(2);
  return {
    endcap: formatCosts(own),
    peer: formatCosts(peer),
    ratio: ownMs.early / peerMs.early,
    note: `ratio of the first runs ${ratioOf('first')}, of the last nine of ${RUNS} ${ratioOf('late')}`,
  };
}

function formatCosts(costs: readonly Cost[]): string {
  const { first, early, late } = phases(costs, 'wallMs');
  const { early: cpuMs } = phases(costs, 'cpuMs');
  return `${formatMs(early)} (first ${formatMs(first)}, later ${formatMs(late)}, processor time ${formatMs(cpuMs)})`;
}

function phases(costs: readonly Cost[], of: keyof Cost) {
  const values = costs.map((cost) => cost[of]);
  return {
    first: median(values.slice(0, 1)),
    early: median(values.slice(0, COUNTED)),
    late: median(values.slice(-COUNTED)),
  };
}

const formatMs = (ms: number): string => `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
