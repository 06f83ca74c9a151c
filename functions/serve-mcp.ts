import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { listAccounts } from '../shared/contract/resources/account.ts';
import { apiKey, KEY_HEADER, KEY_QUERY } from '../shared/http/api-key.ts';
import { bearer } from '../shared/http/bearer.ts';
import { keyLimits } from '../shared/http/chain/key-limits.ts';
import { openChain, toHandler } from '../shared/http/chain/open-chain.ts';
import { jsonBody } from '../shared/http/json-body.ts';
import { listing } from '../shared/http/listing.ts';
import { type ApiHandler, type ApiMiddleware, headerValues, queryValues } from '../shared/http/message/api-request.ts';
import { respond } from '../shared/http/message/json-response.ts';
import { readOwnAccounts } from '../shared/identity/own-accounts.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { ApiError } from '../shared/lib/errors.ts';
import { type CallApi, callWith } from '../shared/mcp/call-api.ts';
import { createMcpServer } from '../shared/mcp/server.ts';
import { create as createListAdvertisers } from './list-advertisers.ts';
import { create as createListFields } from './list-fields.ts';
import { create as createSubmitReport } from './submit-report.ts';

/** A call of a tool has a few hundred bytes. */
const MAX_BYTES = 65_536;

/** POST /mcp: the tools for agents (Model Context Protocol), which call operations in this process as if the caller had. */
export function create(platform: Platform): ApiHandler {
  const operations: Operations = {
    '/metadata/accounts': listing(platform, listAccounts, ({ caller, table }, page) =>
      readOwnAccounts(table, caller, page, platform.commits.current(table)),
    ), // without advancing the view
    '/metadata/advertisers': createListAdvertisers(platform),
    '/metadata/fields': createListFields(platform),
    '/report/{experience_name}': createSubmitReport(platform),
  };
  const { identity } = platform;
  const chain = openChain('POST')
    .use(apiKey(identity, 'report'))
    .use(bearer(identity))
    .use(checkSize())
    .use(jsonBody())
    .use({
      // the operations that a tool calls are limited and logged as such
      before: (request) => {
        const { scopes: [scope = 'report'] = [] } = request.context.state.key ?? {};
        return methodOf(request.event) === 'tools/call' ? undefined : keyLimits(identity, scope).before?.(request);
      },
    })
    .handler(async (event, context) => {
      const { state } = context;
      if (headerValues(event, 'origin').length > 0 && !('Access-Control-Allow-Origin' in state.cors))
        return respond(state, 403, { body: toError('Pages of this origin must not call the tools.') });
      const call = callIn(operations, event, context);
      const [host, protocol = 'https'] = ['host', 'x-forwarded-proto'].map((name) => headerValues(event, name)[0]);
      const url = `${protocol}://${host}${event.requestContext.path.replace(/\/mcp$/, '')}`;
      const response = await serve(event, () => createMcpServer({ call, url, scopes: state.key?.scopes }));
      return respond(state, response.status, { body: await response.text() });
    });
  return toHandler(chain);
}

export const handler = create(openPlatform());

function checkSize(): ApiMiddleware {
  return {
    before: ({ event: { body, isBase64Encoded } }) => {
      if (Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8') > MAX_BYTES)
        throw new ApiError('PAYLOAD_TOO_LARGE', `The maximum size of a message is ${MAX_BYTES} bytes.`);
    },
  };
}

/** @param event whose body is parsed @throws ApiError INVALID_REQUEST if it is a batch */
function methodOf({ body }: APIGatewayProxyEvent): unknown {
  if (Array.isArray(body)) throw new ApiError('INVALID_REQUEST', 'Send one message at a time, not a batch.');
  return Object(body).method;
}

/** Responds in JSON, without a session or a stream: in the protocol of 2026-07-28, or in those before, whose hosts begin with `initialize`. */
async function serve(event: APIGatewayProxyEvent, createServer: () => ReturnType<typeof createMcpServer>) {
  const names = Object.keys(event.multiValueHeaders ?? {}).filter((name) => /^mcp-/i.test(name));
  const sent = names.map((name) => [name, headerValues(event, name.toLowerCase()).join(', ')]);
  const types = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
  const request = new Request('https://endcap/mcp', {
    method: 'POST',
    headers: { ...Object.fromEntries(sent), ...types },
  });
  const parsedBody: unknown = event.body; // jsonBody has parsed it
  if (methodOf(event) === 'subscriptions/listen')
    return Response.json(toError('There are no streams.'), { status: 404 });
  if (!(await isLegacyRequest(request, parsedBody)))
    return createMcpHandler(createServer, { legacy: 'reject' }).fetch(request, { parsedBody });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await createServer().connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

const toError = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });

type Operations = Readonly<Record<string, ApiHandler>>;

/** @returns calls of operations with the key, the token and the address of the event */
function callIn(operations: Operations, event: APIGatewayProxyEvent, context: Context): CallApi {
  const sent = ['authorization', KEY_HEADER.toLowerCase()].map((name) => [name, headerValues(event, name)]);
  const types = { accept: ['application/json'], 'content-type': ['application/json'] };
  return callWith(async (path, body) => {
    const { pathname, searchParams } = new URL(path, 'https://endcap');
    const experience = /^\/report\/(\w+)$/.exec(pathname)?.[1];
    const resource = experience === undefined ? pathname : '/report/{experience_name}';
    const query = Object.fromEntries(searchParams);
    const lists = Object.entries(query).map(([name, value]) => [name, [value]]);
    const operation = operations[resource];
    if (operation === undefined) throw new Error(`there is no operation ${path}`);
    const {
      statusCode,
      headers,
      body: text,
    } = await operation(
      {
        ...event,
        ...{ resource, path: pathname, httpMethod: body === undefined ? 'GET' : 'POST' },
        pathParameters: experience === undefined ? null : { experience_name: experience },
        queryStringParameters: query,
        multiValueQueryStringParameters: {
          ...Object.fromEntries(lists),
          [KEY_QUERY]: [...queryValues(event, KEY_QUERY)],
        },
        multiValueHeaders: { ...Object.fromEntries(sent), ...types },
        ...{ body: body === undefined ? null : JSON.stringify(body), isBase64Encoded: false },
      },
      { ...context },
    );
    return new Response(text, {
      status: statusCode,
      headers: new Headers(Object.entries(headers ?? {}).map(([k, v]) => [k, String(v)])),
    });
  });
}
