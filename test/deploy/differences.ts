import { expect } from 'vitest';
import type { Difference } from './black-box/run-suite.ts';
import { bodyOf } from './black-box/suite.ts';
import type { Reply, Target } from './target.ts';

/**
 * What MiniStack does otherwise than AWS, by the names of the cases that show it. Each is asserted as it is said here, so that a version that
 * does as AWS does is noticed, and its line goes.
 *
 * What it only keeps and never acts on no case can show: IAM policies, alarms and their topic, the firewall, access logs. These are asserted as they stand
 * in the template (test/infra), and the functions' rights to the table are enforced there before the embedded one.
 */
export const MINISTACK_DIFFERENCES: ReadonlyMap<string, Difference> = new Map([
  [
    'of a repeated parameter the last value counts',
    {
      what: 'the first value counts',
      reason:
        'of a repeated query parameter MiniStack hands on the first as the single value; API Gateway hands on the last',
      check: (reply) => expect(bodyOf(reply).data).toHaveLength(2),
    },
  ],
  [
    'a listing for whoever takes it compressed',
    {
      what: 'it is sent as it is',
      reason: 'MiniStack compresses no answers; API Gateway those from the size on that the API says',
      check: ({ status, headers }) =>
        expect({ status, coding: headers['content-encoding'] }).toEqual({ status: 200, coding: undefined }),
    },
  ],
  [
    'the stage itself',
    {
      what: 'the stage itself is answered with 200',
      reason:
        'MiniStack takes a path that ends with the stage for a question to its own control plane; API Gateway for an unknown path',
      check: ({ status, text }) => expect({ status, text: text.trim() }).toEqual({ status: 200, text: '{}' }),
    },
  ],
  [
    'an ad group whose name is encoded',
    {
      what: 'the path in the answer is decoded',
      reason:
        'MiniStack hands the decoded path to functions, the local stage the path as it was sent, as API Gateway does',
      check: (reply) =>
        expect({ status: reply.status, instance: bodyOf(reply).instance }).toEqual({
          status: 422,
          instance: '/v2/ad_groups/é x/available_products',
        }),
    },
  ],
  [
    'an ad group with a slash in its name',
    {
      what: 'an encoded slash parts the path',
      reason: 'MiniStack decodes a path before it looks for the route; API Gateway looks for the route first',
      check: (reply) =>
        expect({ status: reply.status, code: bodyOf(reply).code }).toEqual({ status: 404, code: 'NOT_FOUND' }),
    },
  ],
]);

const CHALLENGE = 'www-authenticate';
const REMAPPED = `x-amzn-remapped-${CHALLENGE}`;

/**
 * MiniStack hands a function's WWW-Authenticate on under its own name, API Gateway under another.
 * @returns the target with the header as API Gateway names it
 * @throws Error from `send` once MiniStack renames it, too: then there is no use for this any more
 */
export function remapChallenges(target: Target): Target {
  const remap = ({ headers: { [CHALLENGE]: challenge, ...headers }, ...reply }: Reply): Reply => {
    if (headers[REMAPPED] !== undefined) throw new Error(`MiniStack answers with ${REMAPPED} by now`);
    return { ...reply, headers: challenge === undefined ? headers : { ...headers, [REMAPPED]: challenge } };
  };
  return { ...target, send: async (ask) => remap(await target.send(ask)) };
}
