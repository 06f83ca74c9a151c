import type { ThrottleDefinition } from '../template/stage-definition.ts';

/**
 * A token bucket, as API Gateway throttles a method: it holds `burst` requests and fills at `rate` a second.
 * @returns a function that takes one request out and says whether there was one
 */
export function throttle(
  { rate, burst }: ThrottleDefinition,
  now: () => number = () => performance.now(),
): () => boolean {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - filledAt) / 1000) * rate);
    filledAt = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
