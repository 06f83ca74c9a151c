import { expect, test } from 'vitest';
import { EVERY_SETTING, resourcesOf, synthesizeWith } from './support/synthesized.ts';

/**
 * The logical ids, as of the last release, of what holds data, or has an address or name that others use. CloudFormation replaces a resource whose logical id
 * changes: its data stays behind or is deleted, its address changes, or the deployment fails because its name is taken. A release may add ids.
 */
const RELEASED: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::GlobalTable': ['TableCD117FA1'],
  'AWS::KMS::Key': ['DataKey17AFBB84', 'SigningKeyEEFC2790', 'SigningKey20E4B42C1', 'UserIdKeyB312F8AE'],
  'AWS::KMS::Alias': ['UserIdKeyAliasC79E50D6'],
  'AWS::S3::Bucket': ['IngestionBucket3AECAE21'],
  'AWS::SQS::Queue': ['IngestionFailures3B48F157', 'IngestionFolders2526E09F', 'IngestionUndeliveredD80C65BF'],
  'AWS::SNS::Topic': ['AlarmTopicD01E77F9'],
  'AWS::SNS::Subscription': ['AlarmTopicopsexamplecom7B0F70A1'],
  'AWS::ApiGateway::RestApi': ['ApiF70053CD'],
  'AWS::ApiGateway::Stage': ['ApiDeploymentStagev2A9A97757'],
  'AWS::ApiGateway::DomainName': ['Domain66AC69E0'],
  'AWS::ApiGateway::BasePathMapping': ['DomainMapv2EndcapApi0E89761622DD48A5'],
  'AWS::Logs::LogGroup': [
    'AccessLogD598EBE9',
    'FirewallLogA7730E2D',
    'FreshnessMeasureFreshnessLogD491683F',
    'GatewayErrorLogF069438C',
    'GetJwksLog0D70236C',
    'GetJwtClaimsLogB2363604',
    'GetJwtLogB0D25E48',
    'GetPageLog70531A35',
    'IngestionIngestFolderLog5562A3AB',
    'ListAccountsLog350BDDDF',
    'ListAdGroupsLogA8C2F500',
    'ListAddressesLogC7F0528A',
    'ListAdvertisersLogE5CE721E',
    'ListAvailableProductsLog348A9C84',
    'ListCampaignsLogA6868AB2',
    'ListContactsLogA5029055',
    'ListFieldsLog635447CC',
    'ListPlacementsLogDB7B691E',
    'SubmitReportLog33BBE0B8',
  ],
};

const template = synthesizeWith({ ...EVERY_SETTING, userIdKey: undefined });

test.each(Object.entries(RELEASED))('each %s of the last release has the same logical id', (type, released) => {
  const ids = resourcesOf(template, type);
  expect(released.filter((id) => !ids.has(id))).toEqual([]);
});

test('the logical ids of all resources with data that outlive the stack are listed', () => {
  const kept = Object.entries(template.Resources).filter(
    ([, { Type, DeletionPolicy }]) =>
      DeletionPolicy?.startsWith('Retain') && !/Lambda|ApiGateway::Account|IAM/.test(Type),
  );
  expect(kept.map(([id]) => id).filter((id) => !Object.values(RELEASED).flat().includes(id))).toEqual([]);
  expect(kept.length).toBeGreaterThan(5);
});
