import type { ThrottleDefinition } from '../template/stage-definition.ts';

/**
 * A token bucket, with which API Gateway throttles a method: it holds up to `burst` tokens and gains `rate` tokens per second.
 * @returns a function that takes one token and returns whether there was one
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
