import type { ApiHandler } from '../message/api-request.ts';
import { type HandlerResult, respond } from '../message/json-response.ts';
import { openChain, toHandler } from './open-chain.ts';

/**
 * @returns the Lambda handler of an endpoint that needs no API key and has no parameters, so that its response is the same for everybody
 * @example return publicEndpoint(async () => ({ body: { keys: await keys.listPublished() } }));
 */
export function publicEndpoint(handle: () => Promise<HandlerResult>): ApiHandler {
  return toHandler(openChain('GET').handler(async (_event, { state }) => respond(state, 200, await handle())));
}
