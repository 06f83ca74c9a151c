import { join } from 'node:path';
import { expect } from 'vitest';
import { fillIn, type HttpCase, readHttpFile } from '../../support/http-file.ts';
import { bodyOf, type Case, type Suite } from './suite.ts';

const IN_FILE = readHttpFile(join(import.meta.dirname, 'requests.http'));

const LONG_TEXT = 'x'.repeat(1_100_000);

function suiteOf(section: string): Suite {
  return { name: section, cases: IN_FILE.filter((one) => one.section === section).map(caseOf) };
}

function caseOf({ name, method, path, headers, body, status, code, expectedHeaders, expected }: HttpCase): Case {
  const text = JSON.stringify([path, headers]);
  return {
    name,
    status,
    ...(code === undefined ? {} : { code }),
    keys: (['cpg', 'other', 'revoked'] as const).filter((key) => text.includes(`{{${key}}}`)),
    request: ({ accountId, adGroupId }, _, { keys }) => {
      const variables = { ...Object.fromEntries(keys), accountId, adGroupId, longText: LONG_TEXT };
      return {
        method,
        path: fillIn(path, variables).replace(/^\/$/, ''), // the stage itself, without a slash
        headers: Object.fromEntries(headers.map(([key, value]) => [key, fillIn(value, variables)])),
        ...(body === undefined ? {} : { body: fillIn(body, variables) }),
      };
    },
    check: (response) => {
      expect(response.headers).toMatchObject(Object.fromEntries(expectedHeaders));
      if (expected?.startsWith('{')) expect(bodyOf(response)).toMatchObject(JSON.parse(expected));
      else expect(response.text).toContain(expected ?? '');
    },
  };
}

export const listings = suiteOf('listings');
export const errors = suiteOf('errors');
export const keys = suiteOf('keys');
export const reports = suiteOf('reports');
