/** The emulated services accept any credentials, but the SDK needs some to sign requests. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/**
 * Makes the SDK clients of this process use the local credentials and region instead of the user's own. A profile in the environment would otherwise be
 * resolved, which may open a browser to sign in.
 */
export function useLocalCredentials(): void {
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN']) delete process.env[name];
  process.env.AWS_ACCESS_KEY_ID = LOCAL_CREDENTIALS.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = LOCAL_CREDENTIALS.secretAccessKey;
  process.env.AWS_REGION = LOCAL_REGION;
}

export const LOCAL_REGION = 'us-east-1';
/** The account of the local stage, which has no AWS account. */
export const LOCAL_ACCOUNT = '000000000000';
