import * as z from 'zod/mini';
import { described } from '../described.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listAccountsInput = { query: z.object(pagingParameters) };

export const Account = z
  .strictObject({
    id: z.optional(z.int().check(described('Account ID number.', 1001))),
    name: z.optional(z.string().check(described('Name of the account.', 'Northwind Foods'))),
    active: z.optional(
      z.boolean().check(z.meta({ description: 'Whether the account is active.', default: true, examples: [true] })),
    ),
  })
  .check(z.meta({ id: 'Account', description: 'An account of the caller. This service always sends all members.' }));

export const AccountResponse = listResponse('AccountResponse', 'accounts', Account);
