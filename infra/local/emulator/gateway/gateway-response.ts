import {
  GATEWAY_RESPONSES,
  type GatewayResponseType,
  gatewayBody,
  gatewayHeaders,
  gatewayStatus,
} from '../../../config/gateway-responses.ts';
import type { HttpResponse } from './http-message.ts';

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
