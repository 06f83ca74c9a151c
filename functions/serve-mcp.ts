import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { listAccounts } from '../shared/contract/resources/account.ts';
import { apiKey, KEY_HEADER, KEY_QUERY } from '../shared/http/api-key.ts';
import { bearer } from '../shared/http/bearer.ts';
import { openChain, toHandler } from '../shared/http/chain/open-chain.ts';
import { jsonBody } from '../shared/http/json-body.ts';
import { listing } from '../shared/http/listing.ts';
import { type ApiHandler, type ApiMiddleware, headerValues, queryValues } from '../shared/http/message/api-request.ts';
import { respond } from '../shared/http/message/json-response.ts';
import { explainForbiddenUse } from '../shared/identity/keys/key-rights.ts';
import { readOwnAccounts } from '../shared/identity/own-accounts.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { ApiError } from '../shared/lib/errors.ts';
import { logError } from '../shared/lib/log.ts';
import { type CallApi, callWith } from '../shared/mcp/call-api.ts';
import { createMcpServer } from '../shared/mcp/server.ts';
import { create as createListAdvertisers } from './list-advertisers.ts';
import { create as createListFields } from './list-fields.ts';
import { create as createSubmitReport } from './submit-report.ts';

/** A call of a tool has a few hundred bytes. */
const MAX_BYTES = 65_536;

/** POST /mcp: the tools for agents (Model Context Protocol), which call operations in this process as if the caller had. */
export function create(platform: Platform): ApiHandler {
  const operations = {
    '/metadata/accounts': listing(platform, listAccounts, ({ caller, table }, page) =>
      readOwnAccounts(table, caller, page, platform.commits.current(table)),
    ), // without advancing the view
    '/metadata/advertisers': createListAdvertisers(platform),
    '/metadata/fields': createListFields(platform),
    '/report/{experience_name}': createSubmitReport(platform),
  };
  const chain = openChain('POST')
    .use(apiKey(platform.identity, 'report'))
    .use(bearer(platform.identity))
    .use({ before: checkAddress })
    .use({ before: ({ event }) => checkSize(event) })
    .use(jsonBody())
    .handler(async (event, context) => {
      const { state } = context;
      const message: unknown = event.body; // jsonBody has parsed it
      if (headerValues(event, 'origin').length > 0 && !('Access-Control-Allow-Origin' in state.cors))
        return respond(state, 403, { body: toError('Pages of this origin must not call the tools.') });
      if (Array.isArray(message)) return respond(state, 400, { body: toError('Send one message, not a batch.') });
      if (Object(message).method === 'subscriptions/listen')
        return respond(state, 404, { body: toError('There are no streams.') });
      const [host, protocol = 'https'] = ['host', 'x-forwarded-proto'].map((name) => headerValues(event, name)[0]);
      const url = `${protocol}://${host}${event.requestContext.path.replace(/\/mcp$/, '')}`;
      const call = callIn(operations, event, context);
      const response = await serve(event, message, () =>
        createMcpServer({ call, url, scopes: state.key?.scopes, onDefect: (error) => logError(state, error) }),
      );
      return respond(state, response.status, { body: await response.text() });
    });
  return toHandler(chain);
}

export const handler = create(openPlatform());

/** Messages that call no operation are not counted, but the key's addresses hold for them, too. */
function checkAddress({ event, context: { state } }: Parameters<NonNullable<ApiMiddleware['before']>>[0]): void {
  const { scopes, ...key } = state.key ?? {};
  const forbidden = explainForbiddenUse(key, { scope: 'report', address: event.requestContext.identity.sourceIp });
  if (forbidden !== undefined) throw new ApiError(forbidden.code, forbidden.reason);
}

function checkSize({ body, isBase64Encoded }: APIGatewayProxyEvent): void {
  if (Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8') > MAX_BYTES)
    throw new ApiError('PAYLOAD_TOO_LARGE', `The maximum size of a message is ${MAX_BYTES} bytes.`);
}

function toError(message: string) {
  return { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
}

/** Responds in JSON, without a session or a stream: in the protocol of 2026-07-28, or in those before, whose hosts begin with `initialize`. */
async function serve({ multiValueHeaders }: APIGatewayProxyEvent, parsedBody: unknown, createServer: () => Server) {
  const headers = new Headers({ Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' });
  for (const [name, values] of Object.entries(multiValueHeaders ?? {}))
    if (/^mcp-/i.test(name)) headers.set(name, String(values));
  const request = new Request('https://endcap/mcp', { method: 'POST', headers });
  if (!(await isLegacyRequest(request, parsedBody)))
    return createMcpHandler(createServer, { legacy: 'reject' }).fetch(request, { parsedBody });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await createServer().connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

/** @returns calls of operations with the key, the token and the address of the event */
function callIn(
  operations: Readonly<Record<string, ApiHandler>>,
  event: APIGatewayProxyEvent,
  context: Context,
): CallApi {
  const sent = ['authorization', KEY_HEADER.toLowerCase()].map((name) => [name, headerValues(event, name)]);
  const multiValueHeaders = { ...Object.fromEntries(sent), 'content-type': ['application/json'] };
  return callWith(async (path, body) => {
    const { pathname, searchParams } = new URL(path, 'https://endcap');
    const experience = /^\/report\/(\w+)$/.exec(pathname)?.[1];
    const resource = experience === undefined ? pathname : '/report/{experience_name}';
    const operation = operations[resource];
    if (operation === undefined) throw new Error(`there is no operation ${path}`);
    const called: APIGatewayProxyEvent = {
      ...{ ...event, resource, path: pathname, httpMethod: body === undefined ? 'GET' : 'POST', multiValueHeaders },
      pathParameters: experience === undefined ? null : { experience_name: experience },
      queryStringParameters: Object.fromEntries(searchParams),
      multiValueQueryStringParameters: { [KEY_QUERY]: [...queryValues(event, KEY_QUERY)] },
      ...{ body: body === undefined ? null : JSON.stringify(body), isBase64Encoded: false },
    };
    const response = await operation(called, { ...context });
    const headers = Object.entries(response.headers ?? {}).map(([name, value]): [string, string] => [name, `${value}`]);
    return new Response(response.body, { status: response.statusCode, headers });
  });
}
