import { type Clock, systemClock } from '../lib/clock.ts';
import { isFunctionInstance } from '../lib/cold-start.ts';
import { readEnv } from '../lib/env.ts';
import { CommitReader } from '../store/commit/commits.ts';
import { openTable, type Table } from '../store/table/table.ts';
import { Callers } from './callers.ts';
import type { Identity } from './identity.ts';
import { KeyLimiter } from './key-limiter.ts';
import { readKeyLimits } from './keys/key-rights.ts';
import { LastUsed } from './last-used.ts';
import { openSigningKeys } from './signing-key.ts';
import { Tokens } from './tokens.ts';

/** The clients and caches of one instance of a function; they live as long as the instance. */
export interface Platform {
  readonly table: Table;
  readonly commits: CommitReader;
  readonly identity: Identity;
  readonly tokens: Tokens;
}

/**
 * @returns the clients and caches that the environment variables describe. Call it once, at the top level of the module.
 * @throws Error naming all environment variables that are missing, or KEY_LIMITS if it is not valid; SyntaxError if KEY_LIMITS is not JSON
 */
export function openPlatform(clock: Clock = systemClock): Platform {
  const { TABLE_NAME, JWT_KEY_IDS, JWT_ISSUER, JWT_AUDIENCE } = readEnv([
    'TABLE_NAME',
    'JWT_KEY_IDS',
    'JWT_ISSUER',
    'JWT_AUDIENCE',
  ]);
  const table = openTable({ tableName: TABLE_NAME });
  const commits = new CommitReader(table);
  const callers = new Callers(commits, clock);
  const limiter = new KeyLimiter(table, clock, readKeyLimits());
  const lastUsed = new LastUsed(table, clock);
  const tokens = new Tokens({ issuer: JWT_ISSUER, audience: JWT_AUDIENCE }, () => openSigningKeys(JWT_KEY_IDS), clock);
  const identity: Identity = {
    findCaller: async (key, meter, since) => {
      const found = await callers.find(key, table.metered(meter), since);
      if ('key' in found) void lastUsed.record(found.key);
      return found;
    },
    admit: (key, isForbidden) => limiter.admit(key, isForbidden),
    refreshCaller: async (caller, meter, state) => {
      const metered = table.metered(meter);
      return callers.refresh(caller, metered, state ?? (await commits.current(metered)));
    },
    verifyToken: (token, caller) => tokens.verify(token, caller),
  };
  if (isFunctionInstance()) void commits.current().catch(() => undefined); // connects to the table while the instance starts, before the first request
  return { table, commits, identity, tokens };
}
