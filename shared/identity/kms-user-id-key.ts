import { GenerateMacCommand, KMSClient } from '@aws-sdk/client-kms';
import { USER_ID_KEY_BYTES } from '../columns/hash-shopper.ts';
import { ATTEMPT_MS, requestLimits } from '../lib/sdk/request-limits.ts';
import type { UserIdKeySource } from '../store/data-settings.ts';

/** The message whose MAC begins with the hashing key for shopper ids. Never change it: another message would be another key. */
const LABEL = new TextEncoder().encode('endcap user ids');

/**
 * @param keyId the id, ARN or alias of a key with the specification HMAC_256
 * @returns a function that derives the hashing key for shopper ids from the user-id key in KMS, so that it is stored nowhere: the first half of the
 * HMAC-SHA-256 of a constant text. It throws the errors of KMS.
 */
export function kmsUserIdKey(keyId: string): UserIdKeySource {
  return async () => {
    const client = new KMSClient({ requestHandler: requestLimits(ATTEMPT_MS, ATTEMPT_MS) });
    try {
      const { Mac } = await client.send(
        new GenerateMacCommand({ KeyId: keyId, Message: LABEL, MacAlgorithm: 'HMAC_SHA_256' }),
      );
      if (Mac === undefined) throw new Error(`KMS has returned no MAC for the key ${keyId}`);
      return Mac.subarray(0, USER_ID_KEY_BYTES);
    } finally {
      client.destroy();
    }
  };
}

/** @returns the alias under which a stack's key can be found with the name of its table */
export function userIdKeyAlias(tableName: string): string {
  return `alias/${tableName}-user-ids`;
}
