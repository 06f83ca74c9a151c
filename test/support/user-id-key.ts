import { createHmac, createSecretKey } from 'node:crypto';
import { shopperHasher, USER_ID_KEY_BYTES } from '../../shared/columns/hash-shopper.ts';

/** The key in KMS from which the tests' loads derive theirs. */
export const KMS_SECRET = createSecretKey(new Uint8Array(32).fill(7));
/** The key with which the tests' loads hash user ids, derived as `kmsUserIdKey` does it. */
export const USER_ID_KEY: Uint8Array = createHmac('sha256', KMS_SECRET)
  .update('endcap user ids')
  .digest()
  .subarray(0, USER_ID_KEY_BYTES);
export const userIdKey = async () => USER_ID_KEY;
/** The hash as the tests' loads store it. */
export const hashShopper = shopperHasher(USER_ID_KEY);
