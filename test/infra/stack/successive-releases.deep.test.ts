import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { generateKey, openKms } from '../../../infra/local/emulator/services/kms.ts';
import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import type { Caller } from '../../../shared/identity/identity.ts';
import { openSigningKeys } from '../../../shared/identity/signing-key.ts';
import { Tokens } from '../../../shared/identity/tokens.ts';
import { type LoopbackServer, startServer } from '../../support/start-server.ts';
import { lostPermissions, type Policy, policyOf } from './policy.ts';
import { EVERY_SETTING, resourcesOf, shorten, synthesizeWith, type Template } from './synthesized.ts';

/** The steps of the runbook of a rotation. */
const ROTATION = [
  { sign: 1, accept: [] },
  { sign: 1, accept: [2] },
  { sign: 2, accept: [1] },
  { sign: 2, accept: [] },
].map((signingKeys) => synthesizeWith({ signingKeys }));

/** Pairs of successive deployments, which are also rolled back. */
const SUCCESSIVE = ROTATION.slice(1).flatMap((after, index) => {
  const before = ROTATION[index];
  return before === undefined ? [] : [{ step: index + 2, before, after }];
});

/** Canary deployments alone call the hook that checks a new version, and the one that ends them is none. */
const isNotOfHook = (permission: string) =>
  !/^CheckCheckService: (?:codedeploy:|.* on \w+CurrentVersion)/.test(permission);

/** A deployment changes the permissions before it replaces the functions, and a canary deployment leaves both versions in use for minutes. */
describe('no deployment takes away a permission that the version before it uses', () => {
  test.each(SUCCESSIVE)('step $step of a rotation, and its rollback', ({ before, after }) => {
    expect([lostPermissions(before, after), lostPermissions(after, before)]).toEqual([[], []]);
  });

  test('switching all other settings on and off, and the pages', () => {
    const [plain] = ROTATION;
    if (plain === undefined) throw new Error('there is no first step');
    // the user-id key of a stack never changes
    const { signingKeys: _, userIdKey: __, ...others } = EVERY_SETTING;
    for (const other of [synthesizeWith(others), synthesizeWith({ pages: false })])
      expect([lostPermissions(plain, other), lostPermissions(other, plain).filter(isNotOfHook)]).toEqual([[], []]);
  });

  test('except after a compromise, whose deployment is all at once', () => {
    const [compromised, , , replaced] = ROTATION;
    if (compromised === undefined || replaced === undefined) throw new Error('a step is missing');
    expect(lostPermissions(compromised, replaced)).toContain('GetJwt: kms:Sign on SigningKey.Arn');
  });
});

describe('a rotation without an interruption', () => {
  const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1]), commit: 1 };
  let kms: Awaited<ReturnType<typeof openKms>>;
  let guard: LoopbackServer;
  let policy: Policy;

  beforeAll(async () => {
    const keys = new Map<string, KeyObject>(['SigningKey', 'SigningKey2'].map((id) => [id, generateKey()]));
    kms = await openKms(keys);
    guard = await startServer((request, response) => void forward(request, response));
    useLocalCredentials();
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', guard.endpoint);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await guard[Symbol.asyncDispose]();
    await kms.close();
  });

  /** Forwards the calls that the policy allows. */
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const target = String(request.headers['x-amz-target']);
    const action = target.replace('TrentService.', 'kms:');
    const resource = `${JSON.parse(body.toString()).KeyId}.Arn`;
    const headers = { 'Content-Type': 'application/x-amz-json-1.1' };
    if (!policy.Statement.some(({ Action, Resource }) => Action.includes(action) && Resource.includes(resource))) {
      response.writeHead(400, headers).end('{"__type":"AccessDeniedException","message":"not allowed"}');
      return;
    }
    const result = await fetch(kms.url, { method: 'POST', headers: { ...headers, 'X-Amz-Target': target }, body });
    response.writeHead(result.status, headers).end(Buffer.from(await result.arrayBuffer()));
  }

  /** @returns a new instance of GET /jwt, and its keys */
  function openVersion(template: Template): { tokens: Tokens; keys: ReturnType<typeof openSigningKeys> } {
    const [, found] =
      [...resourcesOf(template, 'AWS::Lambda::Function')].find(([id]) => /^GetJwt[0-9A-F]/.test(id)) ?? [];
    const { JWT_KEY_IDS } = Object(shorten(found?.Properties.Environment)).Variables;
    const settings = { issuer: 'urn:endcap:test', audience: 'endcap' };
    return {
      tokens: new Tokens(settings, () => openSigningKeys(JWT_KEY_IDS), Date.now),
      keys: openSigningKeys(JWT_KEY_IDS),
    };
  }

  test.each(SUCCESSIVE)(
    'during step $step and its rollback, both versions issue tokens, accept those of the other and publish their keys',
    async ({ before, after }) => {
      for (const deployed of [after, before]) {
        policy = policyOf(deployed, 'GetJwt');
        const versions = [before, after].map(openVersion);
        for (const { tokens, keys } of versions) {
          expect(await keys.listPublished()).not.toEqual([]);
          const { token } = await tokens.issue(ANA);
          for (const other of versions) expect(await other.tokens.verify(token, ANA)).toMatchObject({ sub: 'ana' });
        }
      }
    },
  );
});
