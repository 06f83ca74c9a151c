import type { RequestListener } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { openKms } from '../../../infra/local/emulator/services/kms.ts';
import { type LoopbackServer, startServer } from '../../support/start-server.ts';
import { KMS_SECRET } from '../../support/user-id-key.ts';

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

/** The id of the user-id key in the emulated KMS. */
export const KEY_ID = 'mrk-user-ids';

/** Opens a KMS that has the tests' user-id key, for all tests of a file. */
export function useKms(): { readonly url: string } {
  let kms: Awaited<ReturnType<typeof openKms>> | undefined;
  beforeAll(async () => {
    kms = await openKms(new Map([[KEY_ID, KMS_SECRET]]));
  });
  afterAll(() => kms?.close());
  return {
    get url() {
      if (kms === undefined) throw new Error('KMS is not open yet');
      return kms.url;
    },
  };
}
