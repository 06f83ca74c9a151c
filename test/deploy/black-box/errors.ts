import { expect } from 'vitest';
import { bodyOf, type Case, type Suite } from './suite.ts';

const report = (body: unknown, headers: Record<string, string> = {}) => ({
  path: '/report/pla',
  method: 'POST',
  as: 'agency' as const,
  body,
  headers,
});

const wrong: Case[] = [
  { name: 'an unknown path', ask: { path: '/metadata/nothing', as: 'agency' }, status: 404, code: 'NOT_FOUND' },
  { name: 'the stage itself', ask: { path: '', as: 'agency' }, status: 404, code: 'NOT_FOUND' },
  {
    name: 'a method that is not allowed',
    ask: { path: '/metadata/accounts', method: 'DELETE', as: 'agency' },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: ({ headers }) => expect(headers.allow).toBe('GET'),
  },
  {
    name: 'GET where POST is meant',
    ask: { path: '/report/pla', as: 'agency' },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: ({ headers }) => expect(headers.allow).toBe('POST'),
  },
  {
    name: 'fields that are wrong, all at once',
    ask: {
      path: '/metadata/placements',
      as: 'agency',
      query: [
        ['offset', '-1'],
        ['size', '1e3'],
      ],
    },
    status: 422,
    code: 'INVALID_REQUEST',
    check: (reply) => expect(bodyOf(reply).errors).toHaveLength(2),
  },
  {
    name: 'of a repeated parameter the last value counts',
    ask: {
      path: '/metadata/placements',
      as: 'agency',
      query: [
        ['size', '2'],
        ['size', '5'],
      ],
    },
    status: 200,
    check: (reply) => expect(bodyOf(reply).data).toHaveLength(5),
  },
  {
    name: 'an account that is nobody’s',
    ask: { path: '/metadata/contacts', as: 'agency', query: [['account_id', '999999999']] },
    status: 403,
    code: 'ACCOUNT_FORBIDDEN',
  },
  {
    name: 'an ad group that is nobody’s',
    ask: { path: '/ad_groups/999999999/available_products', as: 'agency' },
    status: 404,
    code: 'AD_GROUP_NOT_FOUND',
  },
  {
    name: 'an ad group that is no number',
    ask: { path: '/ad_groups/7x/available_products', as: 'agency' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'an ad group whose name is encoded',
    ask: { path: '/ad_groups/%C3%A9%20x/available_products', as: 'agency' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'an ad group with a slash in its name',
    ask: { path: '/ad_groups/7%2F7/available_products', as: 'agency' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
  { name: 'a body that is no JSON', ask: report('{"startDate": '), status: 400, code: 'MALFORMED_JSON' },
  {
    name: 'a body of another type',
    ask: report('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'a body over a megabyte',
    ask: report(JSON.stringify({ filler: 'x'.repeat(1_100_000) })),
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  { name: 'an empty report', ask: report({}), status: 422, code: 'INVALID_REQUEST' },
  {
    name: 'an experience that there is not',
    ask: { ...report({}), path: '/report/radio' },
    status: 422,
    code: 'INVALID_REQUEST',
  },
];

export const errors: Suite = { name: 'errors', cases: wrong };
