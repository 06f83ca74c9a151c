/** Asks the listings' functions and the bare handlers in turn, in a process of its own whose environment is a function's. */
import { subscribe } from 'node:diagnostics_channel';
import { isDeepStrictEqual } from 'node:util';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { handler as listAccounts } from '../../functions/list-accounts.ts';
import { handler as listContacts } from '../../functions/list-contacts.ts';
import { bareAccounts, bareContacts } from './bare-listings.ts';
import { benchEvent, type Handler, withContext } from './bench-event.ts';
import { spendInTurn } from './timing.ts';

const ROUNDS = 51;
const REQUESTS = 20;
const WARM_UP = 200;

let calls = 0;
subscribe('http.client.request.start', () => {
  calls += 1;
});

const key = process.env.BENCH_KEY ?? '';
const page = [
  ['offset', '10'],
  ['size', '10'],
] as const;

const accounts = benchEvent(key, { resource: '/metadata/accounts', query: page });
const contacts = benchEvent(key, { resource: '/metadata/contacts', query: [['account_id', '1'], ...page] });
process.send?.({
  accounts: await compare(accounts, withContext(listAccounts), bareAccounts),
  contacts: await compare(contacts, withContext(listContacts), bareContacts),
});

async function compare(event: APIGatewayProxyEvent, ours: Handler, bare: Handler) {
  const repeat = (handler: Handler, times: number) => async () => {
    for (let i = 0; i < times; i++) await handler(event);
  };
  for (const handler of [ours, bare]) await repeat(handler, WARM_UP)();
  const [mine, theirs] = [await ask(ours, event), await ask(bare, event)];
  if (mine.calls !== theirs.calls) throw new Error(`${mine.calls} calls of DynamoDB against ${theirs.calls}`);
  if (mine.items !== 10 || !isDeepStrictEqual(mine.body, theirs.body)) throw new Error('the answers differ');
  const spent = await spendInTurn(ROUNDS, { ours: repeat(ours, REQUESTS), bare: repeat(bare, REQUESTS) });
  const each = ({ wallMs, cpuMs }: typeof spent.ours) => ({ wallMs: wallMs / REQUESTS, cpuMs: cpuMs / REQUESTS });
  return { calls: mine.calls, ours: each(spent.ours), bare: each(spent.bare) };
}

/** Asks a few times: the commit is read once a second, and all that is needed once a request counts. */
async function ask(handler: Handler, event: APIGatewayProxyEvent) {
  const asked: { calls: number; body: { data?: readonly unknown[] } }[] = [];
  for (let i = 0; i < 4; i++) {
    const before = calls;
    const answer = await handler(event);
    asked.push({ calls: calls - before, body: JSON.parse(answer.body) });
  }
  const body = asked[0]?.body ?? {};
  return { calls: Math.min(...asked.map((it) => it.calls)), body, items: body.data?.length };
}
