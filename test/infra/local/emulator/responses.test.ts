import { gunzipSync, inflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { problemKind } from '../../../../shared/contract/problem.ts';
import { type EchoStage, openEchoStage } from './echo-stage.ts';

let stage: EchoStage;
beforeAll(() => {
  stage = openEchoStage();
});
afterAll(() => stage.close());

const respond = (result: unknown) => stage.send('/echo?do=respond', { method: 'POST', body: JSON.stringify(result) });

const INTERNAL = { ...problemKind('INTERNAL_ERROR'), detail: 'Something went wrong on our side.' };

describe('the response to a function’s result', () => {
  test('has its challenge under the name that API Gateway gives it', async () => {
    const { status, headers } = await respond({
      statusCode: 401,
      headers: { 'WWW-Authenticate': 'Bearer', 'X-Own': 'yes' },
      body: 'no',
    });
    expect(status).toBe(401);
    expect(headers).toMatchObject({ 'x-amzn-remapped-www-authenticate': 'Bearer', 'x-own': 'yes' });
    expect(headers).not.toHaveProperty('www-authenticate');
  });

  test('has a decoded base64 body only if the request accepts some type', async () => {
    const result = { statusCode: 200, headers: {}, body: 'AP+A', isBase64Encoded: true };
    expect((await respond(result)).text).toBe('AP+A');
    const url = '/v2/echo?do=respond';
    const headers = { accept: 'text/html, */*' };
    const { body } = await stage.request({ method: 'POST', url, headers, body: JSON.stringify(result) });
    expect(body).toEqual(Buffer.from([0, 255, 128]));
  });

  test('has the id of the request', async () => {
    const { headers } = await respond({ statusCode: 200, headers: {}, body: '' });
    expect(headers).toMatchObject({
      'x-amzn-requestid': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test.each([
    ['a string', 'text'],
    ['null', null],
    ['a list', []],
    ['an unknown member', { statusCode: 200, headers: {}, body: '', cookies: [] }],
    ['a body that is an object', { statusCode: 200, headers: {}, body: {} }],
    ['a status out of range', { statusCode: 99, headers: {}, body: '' }],
    ['a header that is an object', { statusCode: 200, headers: { a: {} }, body: '' }],
  ])('is a 500 for %s', async (_, result) => {
    const { status, text } = await respond(result);
    expect(status).toBe(500);
    expect(JSON.parse(text)).toMatchObject(INTERNAL);
  });
});

describe('compression', () => {
  const body = 'a'.repeat(1024);

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['deflate, gzip;q=0', 'deflate', inflateSync],
    ['br, deflate, gzip', 'gzip', gunzipSync],
  ] as const)('uses, for Accept-Encoding: %s, the coding %s', async (accepted, coding, decode) => {
    const response = await stage.request({
      method: 'POST',
      url: '/v2/echo?do=respond',
      headers: { 'accept-encoding': accepted },
      body: JSON.stringify({ statusCode: 200, headers: {}, body }),
    });
    expect(response.headers['content-encoding']).toBe(coding);
    expect(decode(response.body).toString()).toBe(body);
  });

  test.each([
    ['names no coding', '*', { statusCode: 200, headers: {}, body }],
    ['accepts only other codings', 'br, identity', { statusCode: 200, headers: {}, body }],
    ['gets a body of less than 1,024 bytes', 'gzip', { statusCode: 200, headers: {}, body: body.slice(1) }],
    [
      'gets a body that the function has encoded',
      'gzip',
      { statusCode: 200, body, headers: { 'Content-Encoding': 'identity' } },
    ],
  ])('is not used for a request that %s', async (_, accepted, result) => {
    const { headers, text } = await stage.send('/echo?do=respond', {
      method: 'POST',
      headers: { 'accept-encoding': accepted },
      body: JSON.stringify(result),
    });
    expect(text).toBe(result.body);
    expect(headers['content-encoding']).not.toBe('gzip');
  });
});

describe('the gateway itself', () => {
  let own: EchoStage | undefined;
  afterEach(() => own?.close());

  test.each(['/nope', '/echo/', '/things/1', '/things//parts', '', '/ECHO'])(
    'responds 404 to the unknown path %j',
    async (path) => {
      const { status, headers, text } = await stage.send(path);
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(JSON.parse(text)).toMatchObject({
        ...problemKind('NOT_FOUND'),
        requestId: headers['x-amzn-requestid'],
      });
    },
  );

  test('responds 404 to paths outside the stage', async () => {
    expect((await stage.request({ url: '/v1/echo' })).status).toBe(404);
    expect((await stage.request({ url: '/v2x/echo' })).status).toBe(404);
  });

  test('responds 400 to a path that cannot be decoded', async () => {
    expect((await stage.send('/things/%zz/parts')).status).toBe(400);
  });

  test('responds 415 to a body that does not have its Content-Encoding', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await stage.send('/echo', { method: 'POST', headers, body: 'plain' })).status).toBe(415);
    const unknown = { 'content-encoding': 'br' };
    expect((await stage.send('/echo', { method: 'POST', headers: unknown, body: 'plain' })).status).toBe(415);
  });
});
