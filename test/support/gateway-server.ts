import type { createGatewayServer } from '../../infra/local/emulator/gateway/gateway-server.ts';

type Server = ReturnType<typeof createGatewayServer>;

export interface InjectRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** Starts with the stage: `/v2/jwt?x=1`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

interface InjectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Serves a request without a port. */
export async function inject(
  server: Server,
  { method = 'GET', url, headers, body }: InjectRequest,
): Promise<InjectResponse> {
  const response = await server.inject({
    method,
    url,
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(body === undefined ? {} : { body }),
  });
  const sent = Object.entries(response.headers).map(([name, value]) => [
    name,
    typeof value === 'number' ? String(value) : value,
  ]);
  return { status: response.statusCode, headers: Object.fromEntries(sent), body: response.rawPayload };
}

/** Listens on a free port of the loopback interface. @returns the port */
export async function listen(server: Server): Promise<number> {
  return Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
}
