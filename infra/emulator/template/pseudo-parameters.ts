/** The values of CloudFormation's pseudo parameters in the local stage, which has no AWS account. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';
