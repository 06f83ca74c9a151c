import { afterEach, beforeEach, vi } from 'vitest';
import * as z from 'zod/mini';
import { listingOf, listingParameters } from '../../../shared/contract/resources/listing.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { listing } from '../../../shared/http/listing.ts';
import type { InputSchemas } from '../../../shared/http/parse-input.ts';
import type { Caller, Identity } from '../../../shared/identity/identity.ts';
import type { Admission } from '../../../shared/identity/key-limiter.ts';
import type { ApiKey } from '../../../shared/identity/keys/key-record.ts';
import type { Scope } from '../../../shared/identity/keys/key-rights.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import type { TestResponse } from '../support/gateway-event.ts';

const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1]), commit: 1 };

const GOOD: ApiKey = { id: 'good', digest: 'good', userId: 'ana', createdAt: 0, expiresAt: 1 };

/** The admission of a key without limits. */
export const UNLIMITED: Admission = {
  headers: () => ({}),
  startReport: async () => undefined,
  takeWriteUnits: () => 0,
  end: async () => undefined,
};

/** Accepts the key `good`, which belongs to Ana, and the token `good`. */
const IDENTITY: Identity = {
  findCaller: async (key, meter) => {
    meter.readUnits += 1;
    return key === 'good' ? { caller: ANA, key: GOOD } : { reason: 'The API key is unknown.' };
  },
  admit: () => UNLIMITED,
  refreshCaller: async (caller) => caller,
  verifyToken: async (token) =>
    token === 'good'
      ? { iss: 'i', sub: 'ana', aud: 'a', iat: 1, exp: 2, jti: 'j', userType: 'AGENCY', accountIds: [1] }
      : { reason: 'The token has expired.' },
};

const unusedTable = openTable({ tableName: 'unused', region: 'us-east-1' });

export const KEY = ['Ocp-Apim-Subscription-Key', 'good'] as const;
export const BEARER = ['Authorization', 'Bearer good'] as const;
export const JSON_TYPE = ['Content-Type', 'application/json'] as const;

/** @returns an endpoint that uses IDENTITY, with the members of `identity` in place of its own */
export function testEndpoint<const Schemas extends InputSchemas>(
  definition: Omit<Parameters<typeof endpoint<Schemas>>[1], 'scope'> & { readonly scope?: Scope },
  identity: Partial<Identity> = {},
) {
  return endpoint({ identity: { ...IDENTITY, ...identity }, table: unusedTable }, { scope: 'metadata', ...definition });
}

/** @returns a listing that uses IDENTITY */
export const testListing = (item: z.ZodMiniObject, read: Parameters<typeof listing>[2]) =>
  listing(
    { identity: IDENTITY, table: unusedTable },
    listingOf(item, { items: 'items', query: z.object(listingParameters), summary: '', description: '' }),
    read,
  );

/** Responds with what it was called with. */
export const get = testEndpoint({
  input: { query: z.object({ n: z._default(z.string(), 'none') }) },
  handle: async ({ caller, input, context }) => ({
    body: { user: caller.userId, n: input.query.n, claims: context.claims?.jti ?? null, path: context.path },
  }),
});

/** @returns the status; for problem details, the status and the code */
export function outcome({ status, body }: TestResponse): number | [status: number, code: unknown] {
  const { code } = Object(body);
  return code === undefined ? status : [status, code];
}

/** Captures the log. @returns the parsed lines of the running test */
export function useLog(): { readonly lines: Record<string, unknown>[] } {
  const log = { lines: [] as Record<string, unknown>[] };
  beforeEach(() => {
    log.lines = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      log.lines.push(JSON.parse(String(text)));
      return true;
    });
  });
  afterEach(() => void vi.restoreAllMocks());
  return log;
}
