import { CfnOutput, type RemovalPolicy } from 'aws-cdk-lib';
import { Alias, type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { userIdKeyAlias } from '../../shared/identity/kms-user-id-key.ts';
import type { Settings } from '../config/settings.ts';

/**
 * Adds the user-id key, from which loads derive the hashing key for shopper ids, or takes another stack's. A loader that has only the table's name finds it by
 * its alias. It is a multi-Region key, so that it can be replicated to the region to which the table moves.
 */
export function addUserIdKey(
  scope: Construct,
  { userIdKey: arn }: Settings,
  tableName: string,
  removalPolicy: RemovalPolicy,
): IKey {
  const key =
    arn === undefined
      ? new Key(scope, 'UserIdKey', {
          description: 'Hashes the user ids of facts (HMAC-SHA-256)',
          keySpec: KeySpec.HMAC_256,
          keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
          multiRegion: true,
          removalPolicy,
        })
      : Key.fromKeyArn(scope, 'UserIdKey', arn);
  new Alias(scope, 'UserIdKeyAlias', { aliasName: userIdKeyAlias(tableName), targetKey: key });
  new CfnOutput(scope, 'UserIdKeyArn', {
    value: key.keyArn,
    description: 'The KMS key from which the hashing key for shopper ids is derived',
  });
  return key;
}
