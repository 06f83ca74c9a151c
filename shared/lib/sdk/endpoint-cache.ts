/**
 * Replaces `@aws-sdk/endpoint-cache` in the bundles. Only endpoint discovery fills the SDK's cache, which comes with a package of data structures; the
 * functions do not use it.
 */
export class EndpointCache {
  /** @returns no endpoint, so that a request goes to the one of the region */
  getEndpoint(): undefined {
    return undefined;
  }

  get(): never {
    throw new Error('the bundles have no endpoint discovery: remove the alias of @aws-sdk/endpoint-cache');
  }
}
