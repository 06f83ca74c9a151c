import { afterAll, beforeAll } from 'vitest';
import { openKms } from '../../../infra/local/emulator/services/kms.ts';
import { KMS_SECRET } from '../../support/user-id-key.ts';

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
