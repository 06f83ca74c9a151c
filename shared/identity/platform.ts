import { type Clock, systemClock } from '../lib/clock.ts';
import { readEnv } from '../lib/env.ts';
import { CommitReader } from '../store/commit/commits.ts';
import { type Meter, openTable, type Table } from '../store/table/client.ts';
import { Callers } from './callers.ts';
import type { Identity } from './identity.ts';
import { openSigningKey } from './signing-key.ts';
import { Tokens } from './tokens.ts';

/** What one instance of a function holds for as long as it lives: its clients, and what it remembers. */
export interface Platform {
  readonly table: Table;
  readonly commits: CommitReader;
  readonly identity: Identity;
  readonly tokens: Tokens;
}

/** @returns the platform that the environment names. To be called once, at module top. */
export function openPlatform(clock: Clock = systemClock): Platform {
  const { TABLE_NAME, JWT_KEY_ID, JWT_ISSUER, JWT_AUDIENCE } = readEnv([
    'TABLE_NAME',
    'JWT_KEY_ID',
    'JWT_ISSUER',
    'JWT_AUDIENCE',
  ]);
  const table = openTable({ tableName: TABLE_NAME });
  const commits = new CommitReader(table);
  const callers = new Callers(commits, clock);
  const tokens = new Tokens({ issuer: JWT_ISSUER, audience: JWT_AUDIENCE }, () => openSigningKey(JWT_KEY_ID), clock);
  const identity: Identity = {
    findCaller: (key, meter) => callers.find(key, table.metered(meter)),
    refreshCaller: async (caller, meter, state) => {
      const metered = table.metered(meter);
      return callers.refresh(caller, metered, state ?? (await commits.current(metered)));
    },
    verifyToken: (token, caller) => tokens.verify(token, caller),
  };
  return { table, commits, identity, tokens };
}

/** @returns the table as one request uses it: its calls are counted, and end when the request's time is up. */
export function tableOf(platform: Platform, request: { readonly meter: Meter; readonly signal: AbortSignal }): Table {
  return platform.table.metered(request.meter).withSignal(request.signal);
}
