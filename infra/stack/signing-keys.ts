import { CfnOutput, type RemovalPolicy } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';

/**
 * Adds the keys in KMS that sign the tokens of GET /jwt, one per generation. A generation that the settings no longer name leaves the stack; whether its key is
 * deleted depends on the removal policy.
 * @returns the key that signs new tokens, and the others whose tokens are accepted
 */
export function addSigningKeys(
  scope: Construct,
  { sign, accept }: Settings['signingKeys'],
  removalPolicy: RemovalPolicy,
) {
  const keyOf = (generation: number) =>
    new Key(scope, generation === 1 ? 'SigningKey' : `SigningKey${generation}`, {
      description: `Signs the tokens of GET /jwt (ES256), generation ${generation}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });
  const current = keyOf(sign);
  const accepted = accept.map(keyOf);
  new CfnOutput(scope, 'SigningKeyId', { value: current.keyId, description: 'The KMS key that signs tokens' });
  if (accepted.length > 0) {
    const value = accepted.map(({ keyId }) => keyId).join(',');
    new CfnOutput(scope, 'AcceptedKeyIds', { value, description: 'Other KMS keys whose tokens are accepted' });
  }
  return { current, accepted };
}
