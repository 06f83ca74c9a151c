/** The value of CloudFormation's pseudo parameter `AWS::Region` in the local stage. */
export const LOCAL_REGION = 'us-east-1';
/** The value of `AWS::AccountId` in the local stage, which has no AWS account. */
export const LOCAL_ACCOUNT = '000000000000';
