import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { KEY_HEADER } from '../../../shared/http/api-key.ts';
import type { ApiHandler } from '../../../shared/http/endpoint.ts';
import { gatewayEvent, type TestRequest } from '../../http/support/gateway-event.ts';

/** An endpoint with its Lambda context. */
export type BenchHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Headers that a typical client and the gateway send. */
const HEADERS = [
  ['Accept', 'application/json'],
  ['Accept-Encoding', 'gzip, deflate'],
  ['Host', 'abcdefghij.execute-api.us-east-1.amazonaws.com'],
  ['User-Agent', 'report-client/2.1'],
  ['X-Amzn-Trace-Id', 'Root=1-66f1a2b3-0123456789abcdef01234567'],
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Proto', 'https'],
] as const;

/** @returns the gateway's event for the request with the API key and these headers */
export function benchEvent(key: string, request: TestRequest): APIGatewayProxyEvent {
  return gatewayEvent({ ...request, headers: [...HEADERS, [KEY_HEADER, key], ...(request.headers ?? [])] });
}

/** @returns the endpoint with a fixed Lambda context */
export function withContext(handler: ApiHandler): BenchHandler {
  // The middleware chain reads no other member of the context.
  const context = { functionName: 'bench', awsRequestId: 'bench', getRemainingTimeInMillis: () => 28_000 } as Context;
  return (event) => handler(event, context);
}
