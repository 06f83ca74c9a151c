import type { GatewayAnswerDefinition } from './stage-definition.ts';

/** The situations in which API Gateway answers by itself, of those that can arise here, with the status it gives unless told otherwise. */
const DEFAULTS = {
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
export type GatewayResponseType = keyof typeof DEFAULTS;

const MESSAGES: Readonly<Partial<Record<GatewayResponseType, string>>> = {
  DEFAULT_4XX: 'Bad Request',
  DEFAULT_5XX: 'Internal server error',
  INTEGRATION_TIMEOUT: 'Endpoint request timed out',
  INVALID_SIGNATURE: 'Authorization header requires existence of either a "X-Amz-Date" or a "Date" header.',
  MISSING_AUTHENTICATION_TOKEN: 'Missing Authentication Token',
  REQUEST_TOO_LARGE: 'Request Too Long',
  THROTTLED: 'Too Many Requests',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported Media Type',
};

const DEFAULT_TEMPLATE = '{"message":$context.error.messageString}';

export interface Answer {
  readonly status: number;
  /** Names in the case they are sent in; several values are several header lines. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

export function isGatewayResponseType(name: string): name is GatewayResponseType {
  return Object.hasOwn(DEFAULTS, name);
}

/**
 * @returns what API Gateway answers by itself: the template's answer for `type`; where it has none, that for its class (4XX, 5XX); else its default.
 * @param options.status replaces the default of `type` where the template sets none: a broken function is a DEFAULT_5XX with 502
 */
export function gatewayAnswer(
  type: GatewayResponseType,
  definitions: ReadonlyMap<GatewayResponseType, GatewayAnswerDefinition>,
  options: { requestId: string; status?: number },
): Answer {
  const definition = definitions.get(type) ?? definitions.get(DEFAULTS[type] < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const body = substitute(definition?.template ?? DEFAULT_TEMPLATE, {
    '$context.requestId': options.requestId,
    '$context.error.messageString': JSON.stringify(MESSAGES[type] ?? null),
    '$context.error.message': MESSAGES[type] ?? '',
    '$context.error.responseType': type,
  });
  const headers = { 'Content-Type': 'application/json', ...definition?.headers };
  return {
    status: definition?.statusCode ?? options.status ?? DEFAULTS[type],
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}

/** Plain substitution of variables, the only thing these templates can do; a variable without a value becomes empty text. */
function substitute(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(/\$context(?:\.\w+)+/g, (variable) => variables[variable] ?? '');
}
