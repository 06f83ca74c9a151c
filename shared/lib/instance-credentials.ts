import { readEnv } from './env.ts';

/** Credentials as the SDK takes them. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * In the bundles, this stands in the place of the SDK's package `@aws-sdk/credential-provider-node`. Lambda gives each instance the credentials of its
 * role by the environment, which is the first place where the SDK's own chain looks. The rest of that chain (profiles, single sign-on, instance
 * metadata) is a quarter of a bundle, and is never reached there.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = readEnv(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    const sessionToken = process.env.AWS_SESSION_TOKEN;
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(sessionToken === undefined || sessionToken === '' ? {} : { sessionToken }),
    };
  };
}
