import { expect, test } from 'vitest';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { policyDocumentsOf, resourcesOf, shorten, synthesizeWith, type Template, withoutHash } from './synthesized.ts';

/** @returns the statements of a function's policy about KMS */
function kmsRightsOf(template: Template, name: string): unknown[] {
  const statements = policyDocumentsOf(template, name).flatMap((document) => Object(document).Statement);
  return statements.filter(({ Action }) => String(Action).startsWith('kms:'));
}

const keysOf = (template: Template) =>
  [...resourcesOf(template, 'AWS::KMS::Key')].flatMap(([id, { Properties }]) =>
    Properties.KeyUsage === 'SIGN_VERIFY' ? [withoutHash(id)] : [],
  );

const read = (...keys: string[]) => {
  const arns = keys.map((key) => `${key}.Arn`);
  return { Action: 'kms:GetPublicKey', Effect: 'Allow', Resource: arns.length === 1 ? arns[0] : arns };
};

test('during a rotation there are two keys: the function of every route reads both, and GET /jwt may sign with both, because the replaced version signs with the other one', () => {
  const template = synthesizeWith({ signingKeys: { sign: 2, accept: [1] } });
  expect(keysOf(template).sort()).toEqual(['SigningKey', 'SigningKey2']);
  const functions = [...resourcesOf(template, 'AWS::Lambda::Function')].filter(
    ([id]) => !id.startsWith('Ingestion') && !id.startsWith('Check') && !id.startsWith(pascalCase(PAGES.function)),
  );
  expect(functions).toHaveLength(FUNCTION_ROUTES.length);
  for (const [id, { Properties }] of functions) {
    expect(Object(shorten(Properties.Environment)).Variables.JWT_KEY_IDS).toBe('SigningKey2,SigningKey');
    expect(kmsRightsOf(template, withoutHash(id))).toContainEqual(read('SigningKey2', 'SigningKey'));
  }
  expect(kmsRightsOf(template, 'ListAccounts')).toEqual([read('SigningKey2', 'SigningKey')]);
  expect(kmsRightsOf(template, 'GetJwt')).toEqual([
    read('SigningKey2', 'SigningKey'),
    {
      Action: 'kms:Sign',
      Effect: 'Allow',
      Resource: ['SigningKey2.Arn', 'SigningKey.Arn'],
      Condition: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' } },
    },
  ]);
  expect(Object.keys(Object(template.Outputs))).toContain('AcceptedKeyIds');
});

test('after a rotation only the new key is left in the stack, and a retained old key stays in KMS until it is deleted there', () => {
  const { SigningKey: old } = Object.fromEntries(
    [...resourcesOf(synthesizeWith({ signingKeys: { sign: 1 } }), 'AWS::KMS::Key')].map(([id, key]) => [
      withoutHash(id),
      key,
    ]),
  );
  expect(old?.DeletionPolicy).toBe('RetainExceptOnCreate');
  const template = synthesizeWith({ signingKeys: { sign: 2 } });
  expect(keysOf(template)).toEqual(['SigningKey2']);
  expect(kmsRightsOf(template, 'ListAccounts')).toEqual([read('SigningKey2')]);
  expect(Object.keys(Object(template.Outputs))).not.toContain('AcceptedKeyIds');
});
