import { methodThrottles } from '../../../config/service.ts';
import type { StageDefinition } from '../definition/stage-definition.ts';

/**
 * Throttles each method of each path separately, as API Gateway does, also where one `ANY` serves them all.
 * @returns a function that takes a token for a request and returns whether there was one
 */
export function throttleMethods(settings: StageDefinition['settings']): (path: string, method: string) => boolean {
  const own = methodThrottles(settings);
  const buckets = new Map<string, () => boolean>();
  return (path, method) => {
    const methodKey = `${path}/${method}`;
    const take = buckets.get(methodKey) ?? throttle(own.get(methodKey) ?? settings.throttle);
    buckets.set(methodKey, take);
    return take();
  };
}

/**
 * A token bucket, with which API Gateway throttles a method: it holds up to `burst` tokens and gains `rate` tokens per second.
 * @returns a function that takes one token and returns whether there was one
 */
function throttle({ rate, burst }: StageDefinition['settings']['throttle']): () => boolean {
  let tokens = burst;
  let filledAt = performance.now();
  return () => {
    const time = performance.now();
    tokens = Math.min(burst, tokens + ((time - filledAt) / 1000) * rate);
    filledAt = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
