import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends a request that a proxy has received to the service at the endpoint.
 * @param body what is sent in place of the request's body
 * @param changed headers that are added or replaced
 */
export async function forward(
  request: IncomingMessage,
  endpoint: string,
  body: NonNullable<RequestInit['body']>,
  changed: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const sent = Object.entries({ ...headers, ...changed }).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const { method = 'GET', url = '/' } = request;
  return await fetch(new URL(url, endpoint), { method, headers: sent, ...(method === 'GET' ? {} : { body }) });
}

/** Responds with the status, the type and the body of the service's response. */
export async function sendOn(passed: Response, response: ServerResponse): Promise<void> {
  response.writeHead(passed.status, { 'Content-Type': passed.headers.get('content-type') ?? '' });
  response.end(Buffer.from(await passed.arrayBuffer()));
}
