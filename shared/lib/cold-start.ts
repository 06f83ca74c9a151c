/**
 * @returns a function that returns whether this invocation waited for a new instance to load its code, to be called once per invocation. False from the
 * start with provisioned concurrency, where the code is loaded before a request arrives.
 */
export function trackColdStart(): () => boolean {
  let isFirst = process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== 'provisioned-concurrency';
  return () => {
    const isCold = isFirst;
    isFirst = false;
    return isCold;
  };
}

/** @returns whether this process is an instance of a function, on Lambda or on the local stage, and not a test */
export const isFunctionInstance = (): boolean => process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== undefined;
