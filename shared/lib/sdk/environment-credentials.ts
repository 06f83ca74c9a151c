import { readEnv } from '../env.ts';

/** Credentials in the form that the SDK expects. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Replaces the SDK's package `@aws-sdk/credential-provider-node` in the bundles. Lambda passes the credentials of the function's role in the
 * environment, which is the first source in the SDK's own chain. The other sources (profiles, single sign-on, instance metadata) make up a quarter
 * of a bundle and are never used there.
 * @returns a provider that reads the credentials from the environment on each call
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
