import type { Context } from 'aws-lambda';
import type { ApiEvent, ApiHandler } from '../message/api-request.ts';
import { type HandlerResult, respond } from '../message/json-response.ts';
import { openChain } from './open-chain.ts';

/**
 * @returns the Lambda handler of an endpoint that needs no API key and has no parameters, so that its response is the same for everybody
 * @example export const handler = publicEndpoint(async () => ({ body: { keys: await keys.listPublished() } }));
 */
export function publicEndpoint(handle: () => Promise<HandlerResult>): ApiHandler {
  const chain = openChain('GET').handler(async ({ state }: ApiEvent, _context: Context) =>
    respond(state, 200, await handle()),
  );
  return chain as unknown as ApiHandler; // the chain adds its state to the gateway's event
}
