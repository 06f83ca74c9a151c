import { gunzipSync, inflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type EchoStage, openEchoStage } from './echo-stage.ts';

let stage: EchoStage;
beforeAll(() => {
  stage = openEchoStage({ api: { MinimumCompressionSize: 100, BinaryMediaTypes: ['image/png'] }, maxInstances: 1 });
});
afterAll(() => stage.close());

const answering = (answer: unknown, headers: Record<string, string> = {}) =>
  stage.ask('/echo?do=answer', { method: 'POST', headers, body: JSON.stringify(answer) });

const INTERNAL = '{"message":"Internal server error"}';

describe('a function’s answer', () => {
  test('headers API Gateway keeps for itself arrive remapped', async () => {
    const { status, headers } = await answering({
      statusCode: 401,
      headers: {
        'WWW-Authenticate': 'Bearer',
        Server: 'mine',
        Date: 'never',
        'Transfer-Encoding': 'chunked',
        'X-Own': 'yes',
      },
      body: 'no',
    });
    expect(status).toBe(401);
    expect(headers).toMatchObject({
      'x-amzn-remapped-www-authenticate': 'Bearer',
      'x-amzn-remapped-server': 'mine',
      'x-amzn-remapped-date': 'never',
      'x-own': 'yes',
    });
    for (const name of ['www-authenticate', 'server', 'transfer-encoding']) expect(headers).not.toHaveProperty(name);
  });

  test('single and multi-value headers are merged, each value once', async () => {
    const { headers } = await answering({
      statusCode: 200,
      headers: { 'Set-Cookie': 'a=1', 'X-Flag': true },
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-flag': 'true' });
  });

  test('without a content type it is JSON, without a status 200, without a body empty', async () => {
    const { status, headers, text } = await answering({});
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 200,
      text: '',
      type: 'application/json',
    });
  });

  test('a status may be text, as API Gateway takes it', async () => {
    expect((await answering({ statusCode: '404', body: 'x' })).status).toBe(404);
  });

  test('a base64 body is decoded only where the request accepts a binary type', async () => {
    const answer = { statusCode: 200, body: 'AP+A', isBase64Encoded: true };
    expect((await answering(answer)).text).toBe('AP+A');
    const url = '/v9/echo?do=answer';
    const headers = { accept: 'image/png' };
    const { body } = await stage.request({ method: 'POST', url, headers, body: JSON.stringify(answer) });
    expect(body).toEqual(Buffer.from([0, 255, 128]));
  });

  test('every answer bears the ids of the request', async () => {
    const { headers } = await answering({ statusCode: 200 });
    expect(headers).toMatchObject({
      'x-amzn-requestid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-amz-apigw-id': expect.stringMatching(/=$/),
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-/),
    });
  });

  test.each([
    ['a text', 'text'],
    ['nothing', null],
    ['a list', []],
    ['an unknown member', { statusCode: 200, cookies: [] }],
    ['a body that is an object', { statusCode: 200, body: {} }],
    ['a status out of range', { statusCode: 99 }],
    ['a status that is no number', { statusCode: 'ok' }],
    ['headers that are a list', { statusCode: 200, headers: ['a'] }],
    ['a header that is an object', { statusCode: 200, headers: { a: {} } }],
    ['a multi-value header that is text', { statusCode: 200, multiValueHeaders: { a: 'b' } }],
  ])('%s is malformed: 502', async (_, answer) => {
    const { status, text } = await answering(answer);
    expect({ status, text }).toEqual({ status: 502, text: INTERNAL });
  });
});

describe('compression', () => {
  const body = 'a'.repeat(100);

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['deflate, gzip;q=0', 'deflate', inflateSync],
    ['br, deflate, gzip', 'gzip', gunzipSync],
  ] as const)('Accept-Encoding: %s gives %s', async (accepted, coding, decode) => {
    const response = await stage.request({
      method: 'POST',
      url: '/v9/echo?do=answer',
      headers: { 'accept-encoding': accepted },
      body: JSON.stringify({ statusCode: 200, body }),
    });
    expect(response.headers['content-encoding']).toBe(coding);
    expect(decode(response.body).toString()).toBe(body);
  });

  test.each([
    ['no coding is named', '*', { statusCode: 200, body }],
    ['only others are accepted', 'br, identity', { statusCode: 200, body }],
    ['the body is smaller than the setting', 'gzip', { statusCode: 200, body: body.slice(1) }],
    ['the function has encoded it', 'gzip', { statusCode: 200, body, headers: { 'Content-Encoding': 'identity' } }],
  ])('none where %s', async (_, accepted, answer) => {
    const { headers, text } = await answering(answer, { 'accept-encoding': accepted });
    expect(text).toBe(answer.body);
    expect(headers['content-encoding']).not.toBe('gzip');
  });
});

describe('what the gateway answers itself', () => {
  let own: EchoStage | undefined;
  afterEach(() => own?.close());

  test.each(['/nope', '/echo/', '/things/1', '/things//parts', '', '/ECHO'])(
    'the path %j is unknown: 403 unless told otherwise',
    async (path) => {
      const { status, text } = await stage.ask(path);
      expect({ status, text }).toEqual({ status: 403, text: '{"message":"Missing Authentication Token"}' });
    },
  );

  test('outside the stage there is nothing', async () => {
    expect((await stage.request({ url: '/v8/echo' })).status).toBe(403);
    expect((await stage.request({ url: '/v9x/echo' })).status).toBe(403);
  });

  test('a path that cannot be decoded', async () => {
    expect((await stage.ask('/things/%zz/parts')).status).toBe(400);
  });

  test('without ANY a wrong method is an unknown path', async () => {
    own = openEchoStage({ method: 'GET' });
    expect((await own.ask('/echo', { method: 'POST', body: '' })).status).toBe(403);
    expect((await own.ask('/echo')).status).toBe(200);
  });

  test('a body that is not encoded as it says', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await stage.ask('/echo', { method: 'POST', headers, body: 'plain' })).status).toBe(415);
    const unknown = { 'content-encoding': 'br' };
    expect((await stage.ask('/echo', { method: 'POST', headers: unknown, body: 'plain' })).status).toBe(415);
  });

  const statusesOf = async (path: string, times: number) => {
    const statuses = [];
    for (let i = 0; i < times; i += 1) statuses.push((await own?.ask(path))?.status);
    return statuses;
  };

  test('more requests than a method takes: each is counted by itself', async () => {
    own = openEchoStage({ throttle: { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 2 } });
    expect(await statusesOf('/echo', 3)).toEqual([200, 200, 429]);
    expect(await statusesOf('/things/1/parts', 3)).toEqual([200, 200, 429]);
    expect((await own.ask('/nope')).status).toBe(403);
  });

  test('a method with limits of its own', async () => {
    const throttle = { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 3 };
    own = openEchoStage({ throttle, throttleOfParts: { ...throttle, ThrottlingBurstLimit: 1 } });
    expect(await statusesOf('/echo', 4)).toEqual([200, 200, 200, 429]);
    expect(await statusesOf('/things/1/parts', 2)).toEqual([200, 429]);
  });

  test('the template’s answers replace the defaults, and those of a class all of it that have none', async () => {
    const gatewayResponse = (type: string, status: string | undefined, template: string) => ({
      Type: 'AWS::ApiGateway::GatewayResponse',
      Properties: {
        ResponseType: type,
        ...(status === undefined ? {} : { StatusCode: status }),
        ResponseParameters: { 'gatewayresponse.header.X-Mine': "'yes'" },
        ResponseTemplates: { 'application/json': template },
      },
    });
    own = openEchoStage({
      resources: {
        Unknown: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', '404', '{"id":"$context.requestId"}'),
        Default: gatewayResponse(
          'DEFAULT_5XX',
          undefined,
          '{"type":"$context.error.responseType","none":"$context.nothing"}',
        ),
      },
    });
    const unknown = await own.ask('/nope');
    expect(unknown.status).toBe(404);
    expect(unknown.headers['x-mine']).toBe('yes');
    expect(JSON.parse(unknown.text)).toEqual({ id: unknown.headers['x-amzn-requestid'] });
    const broken = await own.ask('/echo?do=throw');
    expect(broken.status).toBe(502);
    expect(JSON.parse(broken.text)).toEqual({ type: 'DEFAULT_5XX', none: '' });
  });
});
