import * as z from 'zod';
import {
  GATEWAY_RESPONSES,
  type GatewayResponseType,
  gatewayBody,
  gatewayHeaders,
  gatewayStatus,
} from '../../../config/gateway-responses.ts';
import { BINARY_MEDIA_TYPES } from '../../../config/service.ts';
import { type HttpResponse, matchesMediaType } from './http-message.ts';

/**
 * @returns a response that API Gateway generates itself
 * @param options.status API Gateway's own status, which most types replace
 */
export function gatewayResponse(
  type: GatewayResponseType,
  { requestId, status, corsOrigins }: { requestId: string; status: number; corsOrigins: readonly string[] },
): HttpResponse {
  const response = GATEWAY_RESPONSES.find((row) => row.type === type);
  if (response === undefined) throw new Error(`there is no gateway response ${type}`);
  const headers = Object.entries(gatewayHeaders(response, corsOrigins));
  return {
    status: gatewayStatus(response) ?? status,
    headers: new Map(headers.map(([name, value]) => [name, [value]])),
    body: Buffer.from(gatewayBody(response).replace('$context.requestId', () => requestId)),
  };
}

/** What the functions return to a proxy integration, which also accepts other forms. */
const ProxyResult = z.strictObject({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean().default(false),
});

/**
 * @returns the response, or undefined for a malformed result
 * @param payload the function's result as JSON
 * @param accept the request's Accept header; a base64 body is decoded only if the first type in it is a binary media type
 */
export function functionResponse(payload: string, accept: string | undefined): HttpResponse | undefined {
  const read = ProxyResult.safeParse(JSON.parse(payload));
  if (!read.success) return undefined;
  const { statusCode, headers, body, isBase64Encoded } = read.data;
  const accepted = accept?.split(',')[0];
  const binary = isBase64Encoded && BINARY_MEDIA_TYPES.some((type) => matchesMediaType(accepted, type));
  return {
    status: statusCode,
    headers: new Map([
      ['Content-Type', ['application/json']], // which API Gateway adds
      ...Object.entries(headers).map(([name, value]): [string, string[]] => [sentName(name), [value]]),
    ]),
    body: Buffer.from(body, binary ? 'base64' : 'utf8'),
  };
}

/** @returns the name under which API Gateway sends the header (AWS, "Amazon API Gateway important notes") */
function sentName(name: string): string {
  return name.toLowerCase() === 'www-authenticate' ? `x-amzn-Remapped-${name}` : name;
}
