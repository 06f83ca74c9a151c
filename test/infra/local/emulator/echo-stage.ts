import { join } from 'node:path';
import { type Gateway, openGateway } from '../../../../infra/local/emulator/gateway/gateway.ts';
import { createGatewayServer } from '../../../../infra/local/emulator/gateway/gateway-server.ts';
import type { StageDefinition } from '../../../../infra/local/emulator/gateway/stage-definition.ts';
import { type InjectRequest, inject, listen } from '../../../support/gateway-server.ts';

/** The properties that differ between tests. */
export interface EchoOptions
  extends Pick<Parameters<typeof openGateway>[1], 'integrationMs'>,
    Partial<Pick<StageDefinition, 'corsOrigins'>> {
  readonly functionSeconds?: number;
  /** A folder beside this file with the bundle; default: `echo`. */
  readonly bundle?: string;
}

/** A gateway with the echo function at `/echo`, `/things/{thing}/parts` and the path of reports, and two more: `other` and, with a core, `large`. */
export interface EchoStage {
  /** @returns the port */
  listen(): Promise<number>;
  /** Serves a request without a port. */
  request(request: InjectRequest): ReturnType<typeof inject>;
  /** Sends a request to a path of the stage. */
  send(
    path: string,
    request?: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
  ): Promise<EchoResponse>;
  readonly reject: Gateway['reject'];
  readonly logs: string[];
  close(): Promise<void>;
}

interface EchoResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Long enough that a busy machine never reaches it. */
const LONG_TIMEOUT_S = 900;

export function openEchoStage(options: EchoOptions = {}): EchoStage {
  const { functionSeconds = LONG_TIMEOUT_S, integrationMs = LONG_TIMEOUT_S * 1000 } = options;
  const { corsOrigins = [], bundle = 'echo' } = options;
  const logs: string[] = [];
  const echo = {
    name: 'echo',
    paths: ['/echo', '/things/{thing}/parts', '/report/{experience_name}'],
    folder: join(import.meta.dirname, bundle),
    memoryMb: 256,
    timeoutMs: functionSeconds * 1000,
    environment: { OWN: 'by the definition' },
    logLevel: 'INFO',
  };
  const gateway = openGateway(
    {
      functions: [
        echo,
        { ...echo, name: 'other', paths: ['/other'], environment: {} },
        { ...echo, name: 'large', paths: ['/large'], memoryMb: 1769 },
      ],
      corsOrigins,
    },
    {
      environment: { ADDED: 'by the gateway', OWN: 'by the gateway' },
      onLog: (text) => logs.push(text),
      integrationMs,
    },
  );
  const server = createGatewayServer(gateway);
  return {
    listen: () => listen(server),
    request: (request) => inject(server, request),
    reject: gateway.reject,
    logs,
    send: async (path, request = {}) => {
      const { status, headers, body } = await inject(server, { ...request, url: `/v2${path}` });
      return { status, headers, text: body.toString() };
    },
    close: async () => {
      await server.close();
      await gateway.close();
    },
  };
}
