import { Session } from 'node:inspector/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A place in the code, and its share of the thread's busy time. */
export interface HotSpot {
  /** `function (file)` */
  readonly where: string;
  readonly share: number;
}

/** Nodes of the profile that stand for no function, although the thread is busy. */
const NO_FUNCTION = new Set(['(program)', '(root)']);

/** @returns the places where the calling thread spent its busy time while the work ran, the largest share first */
export async function profileWork(work: () => Promise<unknown>): Promise<HotSpot[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const samples = new Map<string, number>();
  let busy = 0;
  for (const { callFrame, hitCount = 0 } of profile.nodes) {
    const { functionName, url } = callFrame;
    if (functionName === '(idle)') continue;
    busy += hitCount;
    if (NO_FUNCTION.has(functionName)) continue;
    const where = `${functionName || 'anonymous'}${placeOf(url)}`;
    samples.set(where, (samples.get(where) ?? 0) + hitCount);
  }
  const spots = [...samples].map(([where, count]) => ({ where, share: count / busy }));
  return spots.sort((a, b) => b.share - a.share);
}

function placeOf(url: string): string {
  if (url === '') return '';
  return ` (${basename(url.startsWith('file:') ? fileURLToPath(url) : url)})`;
}
