import { DEFAULT_STATUSES, type GatewayResponseType } from '../template/gateway-response-types.ts';
import type { GatewayResponseDefinition } from '../template/stage-definition.ts';

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

/**
 * @returns what API Gateway answers by itself: the template's answer for `type`; where it has none, that for its class (4XX, 5XX); else its default.
 * @param options.status replaces the default of `type` where the template sets none: a broken function is a DEFAULT_5XX with 502
 */
export function gatewayResponse(
  type: GatewayResponseType,
  definitions: ReadonlyMap<GatewayResponseType, GatewayResponseDefinition>,
  options: { requestId: string; status?: number },
): Answer {
  const definition =
    definitions.get(type) ?? definitions.get(DEFAULT_STATUSES[type] < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const body = substitute(definition?.template ?? DEFAULT_TEMPLATE, {
    '$context.requestId': options.requestId,
    '$context.error.messageString': JSON.stringify(MESSAGES[type] ?? null),
    '$context.error.message': MESSAGES[type] ?? '',
    '$context.error.responseType': type,
  });
  const headers = { 'Content-Type': 'application/json', ...definition?.headers };
  return {
    status: definition?.statusCode ?? options.status ?? DEFAULT_STATUSES[type],
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}

/** Plain substitution of variables, the only thing these templates can do; a variable without a value becomes empty text. */
function substitute(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(/\$context(?:\.\w+)+/g, (variable) => variables[variable] ?? '');
}
