import { CfnOutput, type RemovalPolicy } from 'aws-cdk-lib';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';

/** The keys in KMS that sign the tokens of GET /jwt. */
export interface SigningKeys {
  /** Signs new tokens. */
  readonly current: IKey;
  /** The others whose tokens are accepted. */
  readonly accepted: readonly IKey[];
}

/** Adds a key per generation. A generation that the settings no longer name leaves the stack; whether its key is deleted depends on the removal policy. */
export function addSigningKeys(
  scope: Construct,
  { sign, accept }: Settings['signingKeys'],
  removalPolicy: RemovalPolicy,
): SigningKeys {
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
