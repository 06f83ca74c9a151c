import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVERY_SETTING, resourcesOf, shorten, synthesizeWith, withoutHash } from './synthesized.ts';

/** A value of a template by its path, such as `Replicas.0.Region`. */
type Leaf = readonly [path: string, value: unknown];

const leavesOf = (path: string, value: unknown): Leaf[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(`${path}.${name}`, member))
    : [[path, value]];

/** @returns the JSON's value, or the text if it is none */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * A case has its title after `==`, settings after `with`, and resources after `--`: type, id without its hash, and what happens when the stack is deleted,
 * unless it is deleted too. Below it are its properties: all, or some if the last line is `…`.
 */
const CASES = readFileSync(join(import.meta.dirname, 'resources.txt'), 'utf8')
  .split(/^== /m)
  .slice(1)
  .map((text) => {
    const [head = '', ...resources] = text.split(/^-- /m);
    const [title = '', settings = '{}'] = head.trimEnd().split('\nwith ');
    return [title, settings, resources.map((resource) => resource.trimEnd().split('\n'))] as const;
  });

test.each(CASES)('%s', (_, settings, resources) => {
  const found = Object.entries(synthesizeWith(JSON.parse(settings)).Resources);
  for (const [resource = '', ...lines] of resources) {
    const [type, id, policy = 'Delete'] = resource.split(' ');
    const [own, ...others] = found.filter(([key, { Type }]) => Type === type && withoutHash(key) === id);
    expect([own?.[1].DeletionPolicy ?? 'Delete', others]).toEqual([policy, []]);
    const actual = Object.fromEntries(
      Object.entries(own?.[1].Properties ?? {}).flatMap(([name, value]) => leavesOf(name, shorten(value))),
    );
    const isPart = lines.at(-1) === '…';
    const expected = Object.fromEntries(
      lines.slice(0, isPart ? -1 : undefined).flatMap((line) => {
        const [path = ''] = line.split(' ', 1);
        return leavesOf(path, parseValue(line.slice(path.length + 1)));
      }),
    );
    if (isPart) expect(actual).toMatchObject(expected);
    else expect(actual).toEqual(expected);
  }
});

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
