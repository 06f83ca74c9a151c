/**
 * Replaces the package `@aws/lambda-invoke-store` in the bundles: it keeps the trace id of each of several requests that one instance serves at the same time.
 * An instance here serves one at a time, whose trace id is in the environment, where the SDK looks next.
 */
export const InvokeStore = { getInstanceAsync: async (): Promise<undefined> => undefined };
