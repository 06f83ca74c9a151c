import { describe, expect, test } from 'vitest';
import { GATEWAY_RESPONSES } from '../../../infra/config/gateway-responses.ts';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { Problem } from '../../../shared/contract/problem.ts';
import { RESERVE_MS } from '../../../shared/http/chain/open-chain.ts';
import { deadlineExceeded } from '../../../shared/lib/deadline.ts';
import { PROBLEMS } from '../../../shared/lib/errors.ts';
import { readSource } from '../../rules/source-files.ts';
import { resourcesOf, shorten, single, synthesizeDefault } from './synthesized.ts';

const template = synthesizeDefault();

describe('the API', () => {
  test('routes every method of each path to the alias of its route’s function', () => {
    const parts = resourcesOf(template, 'AWS::ApiGateway::Resource');
    const pathOf = (reference: unknown): string => {
      const own = parts.get(Object(reference).Ref);
      return own === undefined ? '' : `${pathOf(own.Properties.ParentId)}/${own.Properties.PathPart}`;
    };
    const methods = [...resourcesOf(template, 'AWS::ApiGateway::Method').values()].map(({ Properties }) => ({
      path: pathOf(Properties.ResourceId),
      method: Properties.HttpMethod,
      authorization: Properties.AuthorizationType,
      integration: shorten(Properties.Integration),
    }));
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    expect(methods.sort(byPath)).toEqual(
      [...FUNCTION_ROUTES, ...PAGES.paths.map((path) => ({ path: path.replace(/^\/$/, ''), function: PAGES.function }))]
        .map((route) => ({
          path: route.path,
          method: 'ANY',
          authorization: 'NONE',
          integration: {
            IntegrationHttpMethod: 'POST',
            Type: 'AWS_PROXY',
            Uri: `arn:AWS::Partition:apigateway:AWS::Region:lambda:path/2015-03-31/functions/${pascalCase(route.function)}Aliaslive/invocations`,
          },
        }))
        .sort(byPath),
    );
  });

  test('logs no URL', () => {
    const { AccessLogSetting } = single(template, 'AWS::ApiGateway::Stage').Properties;
    const variables = Object(AccessLogSetting).Format.match(/\$[.\w]+/g);
    expect(variables).toEqual([
      '$context.requestTimeEpoch',
      '$context.requestId',
      '$context.extendedRequestId',
      '$context.awsEndpointRequestId',
      '$context.identity.sourceIp',
      '$context.httpMethod',
      '$context.resourcePath',
      '$context.status',
      '$context.responseLength',
      '$context.responseLatency',
      '$context.integrationLatency',
      '$context.integration.status',
      '$context.integrationStatus',
      '$context.error.responseType',
      '$context.identity.userAgent', // the only one that can be long; API Gateway may cut an entry after 1 KB
    ]);
  });
});

describe('the responses that API Gateway generates itself', () => {
  test.each([
    ['MISSING_AUTHENTICATION_TOKEN', 'NOT_FOUND'],
    ['INVALID_SIGNATURE', 'NOT_FOUND'],
    ['EXPIRED_TOKEN', 'NOT_FOUND'],
    ['ACCESS_DENIED', 'NOT_FOUND'],
    ['RESOURCE_NOT_FOUND', 'NOT_FOUND'],
    ['THROTTLED', 'TOO_MANY_REQUESTS'],
    ['QUOTA_EXCEEDED', 'TOO_MANY_REQUESTS'],
    ['WAF_FILTERED', 'TOO_MANY_REQUESTS'],
    ['REQUEST_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
    ['UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
    ['INTEGRATION_FAILURE', 'SERVICE_BUSY'],
    ['INTEGRATION_TIMEOUT', 'DEADLINE_EXCEEDED'],
    ['DEFAULT_5XX', 'INTERNAL_ERROR'],
  ] as const)('have for %s the problem %s', (type, code) => {
    const responses = [...resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').values()];
    expect(responses).toHaveLength(14);
    const found = responses.find(({ Properties }) => Properties.ResponseType === type)?.Properties;
    const { status, title } = PROBLEMS[code];
    const seconds = type === 'WAF_FILTERED' ? 300 : 1; // the window of the firewall's rule
    const retry = status === 429 || status === 503 ? { 'gatewayresponse.header.Retry-After': `'${seconds}'` } : {};
    expect(found).toMatchObject({ StatusCode: String(status) });
    expect(found?.ResponseParameters).toEqual({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      ...retry,
    });
    const body = Problem.parse(JSON.parse(Object(found?.ResponseTemplates)['application/json']));
    expect(body).toMatchObject({
      code,
      status,
      title,
      statusCode: status,
      requestId: '$context.requestId',
      errors: [],
    });
    expect(body.message).toBe(body.detail);
  });

  test('leave the status of every other 4xx as it is', () => {
    const found = [...resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').values()].find(
      ({ Properties }) => Properties.ResponseType === 'DEFAULT_4XX',
    )?.Properties;
    expect(found).not.toHaveProperty('StatusCode');
    const body = Problem.parse(JSON.parse(Object(found?.ResponseTemplates)['application/json']));
    expect(body).toMatchObject({ code: 'INVALID_REQUEST', status: 400, statusCode: 400 });
  });
});

test('a 504 has the same text from the gateway as from a function', () => {
  const details = GATEWAY_RESPONSES.filter(({ code }) => code === 'DEADLINE_EXCEEDED').map(({ detail }) => detail);
  expect(details).toEqual([deadlineExceeded().message]);
});

test('the documented time per request is the time limit of reports, less the time for sending the 504', () => {
  const { timeout } = FUNCTION_ROUTES.find(({ path }) => path === '/report/{experience_name}') ?? {};
  expect(readSource('functions/README.md')).toContain(
    `| time per request | ${Number(timeout) - RESERVE_MS / 1000} seconds |`,
  );
});

test('the gateway’s 415, which is about Content-Encoding, has a title that fits it, and is documented with the header of its id', () => {
  const [response] = GATEWAY_RESPONSES.filter(({ code }) => code === 'UNSUPPORTED_MEDIA_TYPE');
  expect(response?.detail).toContain('Content-Encoding');
  expect(PROBLEMS.UNSUPPORTED_MEDIA_TYPE.title).toBe('The type or encoding of the body is not supported');
  const page = readSource('functions/README.md');
  expect(page).toContain('their id is in the header `x-amzn-RequestId` instead of `x-request-id`');
  expect(page.replaceAll(/\s+/g, ' ')).toContain('One of them is a 415: the `Content-Encoding` is not');
});
