import { expect } from 'vitest';
import { bodyOf, type Case, type Suite } from './suite.ts';

const report = (body: unknown, headers: Record<string, string> = {}) => ({
  path: '/report/pla',
  method: 'POST',
  as: 'agency' as const,
  body,
  headers,
});

const cases: Case[] = [
  { name: 'an unknown path', request: { path: '/metadata/nothing', as: 'agency' }, status: 404, code: 'NOT_FOUND' },
  {
    name: 'the stage itself, with the start page',
    request: { path: '' },
    status: 200,
    check: ({ text }) => expect(text).toContain('<a href="/v2/explorer">'),
  },
  {
    name: 'the type of a problem, with a page about it',
    request: { path: '/problems/key-missing' },
    status: 200,
    check: ({ text }) => expect(text).toContain('<code>KEY_MISSING</code>'),
  },
  {
    name: 'a method that is not allowed',
    request: { path: '/metadata/accounts', method: 'DELETE', as: 'agency' },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: ({ headers }) => expect(headers.allow).toBe('GET'),
  },
  {
    name: 'GET instead of POST',
    request: { path: '/report/pla', as: 'agency' },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: ({ headers }) => expect(headers.allow).toBe('POST'),
  },
  {
    name: 'two invalid parameters, and names both',
    request: {
      path: '/metadata/placements',
      as: 'agency',
      query: [
        ['offset', '-1'],
        ['size', '1e3'],
      ],
    },
    status: 422,
    code: 'INVALID_REQUEST',
    check: (response) => expect(bodyOf(response).errors).toMatchObject([{ pointer: 'offset' }, { pointer: 'size' }]),
  },
  {
    name: 'a repeated parameter, of which the last value counts',
    request: {
      path: '/metadata/placements',
      as: 'agency',
      query: [
        ['size', '2'],
        ['size', '5'],
      ],
    },
    status: 200,
    check: (response) => expect(bodyOf(response).meta).toMatchObject({ page: { size: 5 } }),
  },
  {
    name: 'an account that does not exist',
    request: { path: '/metadata/contacts', as: 'agency', query: [['account_id', '999999999']] },
    status: 403,
    code: 'ACCOUNT_FORBIDDEN',
  },
  {
    name: 'an ad group that does not exist',
    request: { path: '/ad_groups/999999999/available_products', as: 'agency' },
    status: 404,
    code: 'AD_GROUP_NOT_FOUND',
  },
  {
    name: 'an ad group id that is not a number',
    request: { path: '/ad_groups/7x/available_products', as: 'agency' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'an ad group id with encoded characters',
    request: { path: '/ad_groups/%C3%A9%20x/available_products', as: 'agency' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'an ad group id with an encoded slash',
    request: { path: '/ad_groups/7%2F7/available_products', as: 'agency' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
  { name: 'a body that is not JSON', request: report('{"startDate": '), status: 400, code: 'MALFORMED_JSON' },
  {
    name: 'a body of another media type',
    request: report('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'a body over 1 MiB',
    request: report(JSON.stringify({ filler: 'x'.repeat(1_100_000) })),
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  { name: 'an empty report request', request: report({}), status: 422, code: 'INVALID_REQUEST' },
  {
    name: 'an unknown experience',
    request: { ...report({}), path: '/report/radio' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
];

export const errors: Suite = { name: 'errors', cases };
