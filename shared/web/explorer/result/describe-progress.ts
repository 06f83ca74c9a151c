import type { Wait } from '../service/use-result.ts';

/** @returns what the page is waiting for, `now` being in milliseconds since 1970 */
export function describeProgress(wait: Wait | undefined, now: number): string {
  if (wait === undefined || wait.until <= now) return 'Reading the result…';
  return `Waiting ${Math.ceil((wait.until - now) / 1_000)} s: ${reasonOf(wait)}.`;
}

function reasonOf({ status }: Wait): string {
  if (status === undefined) return 'the service cannot be reached';
  return status === 429 ? 'the key’s limit of requests is reached' : 'the service is busy';
}
