import { DEFAULT_GATEWAY_STATUSES, type GatewayResponseType } from '../template/gateway-response-types.ts';
import type { GatewayResponseDefinition } from '../template/stage-definition.ts';
import type { HttpResponse } from './http-message.ts';

const MESSAGES: Readonly<Partial<Record<GatewayResponseType, string>>> = {
  DEFAULT_4XX: 'Bad Request',
  DEFAULT_5XX: 'Internal server error',
  INTEGRATION_FAILURE: 'Internal server error',
  INTEGRATION_TIMEOUT: 'Endpoint request timed out',
  MISSING_AUTHENTICATION_TOKEN: 'Missing Authentication Token',
  REQUEST_TOO_LARGE: 'Request Too Long',
  THROTTLED: 'Too Many Requests',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported Media Type',
};

const DEFAULT_TEMPLATE = '{"message":$context.error.messageString}';

/**
 * @returns a response that API Gateway generates itself: the template's gateway response for `type`, or else for its class (4XX, 5XX), or else
 * API Gateway's default
 * @param options.status replaces the default status of `type` if the template sets none: a failed function is a DEFAULT_5XX with 502
 */
export function gatewayResponse(
  type: GatewayResponseType,
  definitions: ReadonlyMap<GatewayResponseType, GatewayResponseDefinition>,
  options: { requestId: string; status?: number },
): HttpResponse {
  const definition =
    definitions.get(type) ?? definitions.get(DEFAULT_GATEWAY_STATUSES[type] < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const body = substitute(definition?.template ?? DEFAULT_TEMPLATE, {
    '$context.requestId': options.requestId,
    '$context.error.messageString': JSON.stringify(MESSAGES[type] ?? null),
    '$context.error.message': MESSAGES[type] ?? '',
    '$context.error.responseType': type,
  });
  const headers = { 'Content-Type': 'application/json', ...definition?.headers };
  return {
    status: definition?.statusCode ?? options.status ?? DEFAULT_GATEWAY_STATUSES[type],
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}

/** Replaces variables, which is all that these templates support. A variable without a value becomes empty text. */
function substitute(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(/\$context(?:\.\w+)+/g, (variable) => variables[variable] ?? '');
}
