import { expect } from 'vitest';
import type { Difference } from './black-box/suite.ts';
import { bodyOf } from './black-box/suite.ts';
import type { ApiResponse, Target } from './target.ts';

/**
 * The differences between MiniStack and AWS, by the names of the cases that show them. Each is asserted, so that a test fails once MiniStack behaves as AWS
 * does and the entry can be removed.
 *
 * No case shows what MiniStack stores without effect: IAM policies, alarms and their topic, the firewall, access logs. Their definitions in the template are
 * asserted in test/infra/stack, where the functions' permissions on the table are also enforced in front of the embedded one.
 */
export const MINISTACK_DIFFERENCES: ReadonlyMap<string, Difference> = new Map([
  [
    'a repeated parameter, of which the last value counts',
    {
      what: 'the first value counts',
      reason:
        'MiniStack passes the first value of a repeated query parameter to functions; API Gateway passes the last',
      check: (response) => expect(bodyOf(response).meta).toMatchObject({ page: { size: 2 } }),
    },
  ],
  [
    'a client that accepts gzip, with a compressed listing',
    {
      what: 'it is not compressed',
      reason:
        'MiniStack does not compress responses; API Gateway compresses those of at least the size that the API sets',
      check: ({ status, headers }) =>
        expect({ status, coding: headers['content-encoding'] }).toEqual({ status: 200, coding: undefined }),
    },
  ],
  [
    'an Arrow stream for a client that accepts compression, on one page that is larger than JSON may have',
    {
      what: 'it is not compressed',
      reason:
        'MiniStack does not compress responses; API Gateway compresses those of at least the size that the API sets',
      check: ({ status, headers }) =>
        expect({ status, type: headers['content-type'], coding: headers['content-encoding'] }).toEqual({
          status: 200,
          type: 'application/vnd.apache.arrow.stream',
          coding: undefined,
        }),
    },
  ],
  [
    'the stage itself, with the start page',
    {
      what: 'there is no page',
      reason:
        'MiniStack treats a path that ends with the stage as a request to its own control plane; API Gateway treats it as the root of the API',
      check: ({ status, text }) => expect({ status, text: text.trim() }).toEqual({ status: 200, text: '{}' }),
    },
  ],
  [
    'an ad group id with encoded characters',
    {
      what: 'the path in the response is decoded',
      reason:
        'MiniStack passes the decoded path to functions; the local stage passes the path as it was sent, as API Gateway does',
      check: (response) =>
        expect({ status: response.status, instance: bodyOf(response).instance }).toEqual({
          status: 422,
          instance: '/v2/ad_groups/é x/available_products',
        }),
    },
  ],
  [
    'an ad group id with an encoded slash',
    {
      what: 'an encoded slash separates segments',
      reason: 'MiniStack decodes a path before it matches the route; API Gateway matches the route first',
      check: (response) =>
        expect({ status: response.status, code: bodyOf(response).code }).toEqual({ status: 404, code: 'NOT_FOUND' }),
    },
  ],
]);

const CHALLENGE = 'www-authenticate';
const REMAPPED = `x-amzn-remapped-${CHALLENGE}`;

/**
 * MiniStack keeps the name of a function's WWW-Authenticate header, which API Gateway renames.
 * @returns the target with the header renamed; its `send` throws once MiniStack renames the header itself, and this function can be removed
 */
export function remapChallenges(target: Target): Target {
  const remap = ({ headers: { [CHALLENGE]: challenge, ...headers }, ...response }: ApiResponse): ApiResponse => {
    if (headers[REMAPPED] !== undefined) throw new Error(`MiniStack now responds with ${REMAPPED}`);
    return { ...response, headers: challenge === undefined ? headers : { ...headers, [REMAPPED]: challenge } };
  };
  return { ...target, send: async (request) => remap(await target.send(request)) };
}
