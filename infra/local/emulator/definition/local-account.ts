export const LOCAL_REGION = 'us-east-1';
/** The account of the local stage, which has no AWS account. */
export const LOCAL_ACCOUNT = '000000000000';
