/** Whether no invocation has been served yet. False from the start with provisioned concurrency, where the code is loaded before a request arrives. */
let isFirst = process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== 'provisioned-concurrency';

/** @returns whether this process is an instance of a function, on Lambda or on the local stage, and not a test */
export const isFunctionInstance = (): boolean => process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== undefined;

/** @returns whether this invocation waited for a new instance to load its code. To be called once per invocation. */
export function isColdStart(): boolean {
  const isCold = isFirst;
  isFirst = false;
  return isCold;
}
