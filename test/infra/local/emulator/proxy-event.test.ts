import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type EchoStage, openEchoStage } from './echo-stage.ts';

let stage: EchoStage;
let port: number;
beforeAll(async () => {
  stage = openEchoStage();
  port = await stage.listen();
});
afterAll(() => stage.close());

/** Sends a request over a socket, because the order and case of headers are part of the event. @returns the event */
function send(options: { method: string; path: string; headers?: string[]; body?: string | Buffer }): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const { method, path, headers = [], body } = options;
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: ['Host', `localhost:${port}`, ...headers],
  });
  request.on('error', reject).on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => resolve(JSON.parse(text)));
  });
  request.end(body);
  return promise;
}

describe('the event of a Lambda proxy integration', () => {
  test('has the request id that the client chooses by a header, if that is valid', async () => {
    const get = async (id: string) => {
      const { requestContext } = Object(
        await send({ method: 'GET', path: '/v2/things/a/parts', headers: ['X-Amzn-RequestId', id] }),
      );
      return requestContext;
    };
    expect((await get('~same')).requestId).toBe('~same');
    expect((await get('a "quoted" id')).requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('holds repeated headers and parameters, and the encoded path', async () => {
    const event = await send({
      method: 'GET',
      path: '/v2/things/a%20b%2Fc/parts?size=1&q=x%26y+z&size=2&empty=&bare',
      headers: ['X-Twice', 'one', 'User-Agent', 'test/1', 'x-twice', 'two', 'Connection', 'close'],
    });
    const seen = {
      requestId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
    };
    expect(event).toEqual({
      resource: '/things/{thing}/parts',
      path: '/things/a%20b%2Fc/parts',
      httpMethod: 'GET',
      headers: {
        Host: `localhost:${port}`,
        'X-Twice': 'two',
        'User-Agent': 'test/1',
        Connection: 'close',
        'X-Forwarded-For': '127.0.0.1',
        'X-Forwarded-Port': String(port),
        'X-Forwarded-Proto': 'http',
      },
      multiValueHeaders: {
        Host: [`localhost:${port}`],
        'X-Twice': ['one', 'two'],
        'User-Agent': ['test/1'],
        Connection: ['close'],
        'X-Forwarded-For': ['127.0.0.1'],
        'X-Forwarded-Port': [String(port)],
        'X-Forwarded-Proto': ['http'],
      },
      queryStringParameters: { size: '2', q: 'x&y z', empty: '', bare: '' },
      multiValueQueryStringParameters: { size: ['1', '2'], q: ['x&y z'], empty: [''], bare: [''] },
      pathParameters: { thing: 'a b/c' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        authorizer: null,
        deploymentId: 'local',
        domainName: 'localhost',
        domainPrefix: 'localhost',
        httpMethod: 'GET',
        identity: {
          accessKey: null,
          accountId: null,
          apiKey: null,
          apiKeyId: null,
          caller: null,
          clientCert: null,
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
          principalOrgId: null,
          sourceIp: '127.0.0.1',
          user: null,
          userAgent: 'test/1',
          userArn: null,
        },
        path: '/v2/things/a%20b%2Fc/parts',
        protocol: 'HTTP/1.1',
        requestId: seen.requestId,
        requestTime: seen.time,
        requestTimeEpoch: expect.any(Number),
        resourceId: 'local',
        resourcePath: '/things/{thing}/parts',
        stage: 'v2',
      },
      body: null,
      isBase64Encoded: false,
    });
  });

  test('has null for maps without entries', async () => {
    expect(await send({ method: 'GET', path: '/v2/echo' })).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    });
  });

  test('has a body without a media type as text, whatever its method', async () => {
    const body = '{"a":"grün"'; // not valid JSON
    const headers = ['Content-Type', 'not a media type', 'Content-Length', String(Buffer.byteLength(body))];
    expect(await send({ method: 'DELETE', path: '/v2/echo', headers, body })).toMatchObject({
      httpMethod: 'DELETE',
      body,
      isBase64Encoded: false,
    });
  });

  test('has a body of any media type in base64', async () => {
    const body = Buffer.from([0, 255, 128]);
    const headers = ['Content-Type', 'application/json'];
    expect(await send({ method: 'POST', path: '/v2/echo', headers, body })).toMatchObject({
      body: 'AP+A',
      isBase64Encoded: true,
    });
  });

  test('has a gzip-encoded body decoded', async () => {
    const headers = ['Content-Encoding', 'gzip'];
    expect(await send({ method: 'POST', path: '/v2/echo', headers, body: gzipSync('{"a":1}') })).toMatchObject({
      body: '{"a":1}',
    });
  });

  test('keeps the X-Forwarded-For of a proxy', async () => {
    expect(await send({ method: 'GET', path: '/v2/echo', headers: ['X-Forwarded-For', '10.0.0.7'] })).toMatchObject({
      headers: { 'X-Forwarded-For': '10.0.0.7, 127.0.0.1' },
    });
  });
});

test('a function has its own variables and those that the gateway adds, but none of the surrounding process', async () => {
  vi.stubEnv('ENDCAP_TEST_SECRET', 'not for functions');
  const fresh = openEchoStage(); // its instance starts after the variable was set
  const { text } = await fresh.send('/echo?do=env');
  await fresh.close();
  vi.unstubAllEnvs();
  const environment: Record<string, string> = JSON.parse(text);
  expect(environment).toMatchObject({
    OWN: 'by the definition',
    ADDED: 'by the gateway',
    AWS_LAMBDA_FUNCTION_NAME: 'echo',
  });
  expect(Object.keys(environment)).not.toContain('ENDCAP_TEST_SECRET');
});

test('a function’s context has its name, its memory and its remaining time', async () => {
  const { text } = await stage.send('/echo?do=context');
  const context: { remaining: number } = JSON.parse(text);
  expect(context).toMatchObject({
    functionName: 'echo',
    memoryLimitInMB: '256',
    awsRequestId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-/),
  });
  const again = JSON.parse((await stage.send('/echo?do=context')).text);
  expect(again.awsRequestId).not.toBe(Object(context).awsRequestId);
  expect(context.remaining).toBeGreaterThan(600_000); // of 900,000 ms
  expect(context.remaining).toBeLessThanOrEqual(900_000);
});
