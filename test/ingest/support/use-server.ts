import type { RequestListener } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { type LoopbackServer, startServer } from '../../support/start-server.ts';

/** Runs an HTTP server during the tests of the calling file. */
export function useServer(onRequest: RequestListener): { readonly endpoint: string } {
  let server: LoopbackServer | undefined;
  beforeAll(async () => {
    server = await startServer(onRequest);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  return {
    get endpoint() {
      if (server === undefined) throw new Error('the server is not listening yet');
      return server.endpoint;
    },
  };
}
