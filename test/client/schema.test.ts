import { expect, test } from 'vitest';
import { CLIENT_SCHEMA, clientDocument, documentDigest } from '../../infra/tools/client-schema.ts';
import { readSource } from '../rules/source-files.ts';

test('the generated types are those of the OpenAPI document; if this fails, run `npm run client:types`', () => {
  expect(readSource(CLIENT_SCHEMA)).toContain(`${documentDigest(clientDocument())}\n`);
});
