import { expect, test } from 'vitest';
import { CLIENT_SCHEMA, clientDocument, documentDigest } from '../../../infra/tools/client-schema.ts';
import { readSource } from '../../rules/source-files.ts';

test('the generated types are those of the OpenAPI document; if this fails, run `npm run client:types`', () => {
  expect(/Digest of the document: \w+/.exec(readSource(CLIENT_SCHEMA))?.[0]).toBe(documentDigest(clientDocument()));
});
