/**
 * The types of gateway response that the local stage accepts in a template, with the status that each has unless the template sets one. It sends only
 * some of them.
 */
export const DEFAULT_GATEWAY_STATUSES = {
  ACCESS_DENIED: 403,
  API_CONFIGURATION_ERROR: 500,
  EXPIRED_TOKEN: 403,
  INTEGRATION_FAILURE: 504,
  INTEGRATION_TIMEOUT: 504,
  INVALID_SIGNATURE: 403,
  MISSING_AUTHENTICATION_TOKEN: 403,
  QUOTA_EXCEEDED: 429,
  REQUEST_TOO_LARGE: 413,
  RESOURCE_NOT_FOUND: 404,
  THROTTLED: 429,
  UNSUPPORTED_MEDIA_TYPE: 415,
  WAF_FILTERED: 403,
  DEFAULT_4XX: 400,
  DEFAULT_5XX: 500,
} as const;
export type GatewayResponseType = keyof typeof DEFAULT_GATEWAY_STATUSES;

export function isGatewayResponseType(name: string): name is GatewayResponseType {
  return Object.hasOwn(DEFAULT_GATEWAY_STATUSES, name);
}
