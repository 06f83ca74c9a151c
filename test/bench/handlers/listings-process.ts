/** Sends requests to the listing functions and the bare handlers in turn, and sends the costs; its environment is that of a function. */
import { subscribe } from 'node:diagnostics_channel';
import { isDeepStrictEqual } from 'node:util';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { handler as listAccounts } from '../../../functions/list-accounts.ts';
import { handler as listContacts } from '../../../functions/list-contacts.ts';
import { type Cost, measureInTurn } from '../tools/timing.ts';
import { bareAccounts, bareContacts } from './bare-listings.ts';
import { type BenchHandler, benchEvent, withContext } from './bench-event.ts';

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

async function compare(event: APIGatewayProxyEvent, endcap: BenchHandler, bare: BenchHandler) {
  const repeat = (handler: BenchHandler, times: number) => async () => {
    for (let i = 0; i < times; i++) await handler(event);
  };
  for (const handler of [endcap, bare]) await repeat(handler, WARM_UP)();
  const [one, other] = [await probe(endcap, event), await probe(bare, event)];
  if (one.calls !== other.calls) throw new Error(`${one.calls} calls of DynamoDB against ${other.calls}`);
  if (one.items !== 10 || !isDeepStrictEqual(one.body, other.body)) throw new Error('the responses differ');
  const costs = await measureInTurn(ROUNDS, { endcap: repeat(endcap, REQUESTS), bare: repeat(bare, REQUESTS) });
  const perRequest = ({ wallMs, cpuMs }: Cost) => ({ wallMs: wallMs / REQUESTS, cpuMs: cpuMs / REQUESTS });
  return { calls: one.calls, endcap: perRequest(costs.endcap), bare: perRequest(costs.bare) };
}

/** @returns the body of the first of four responses, and the smallest number of calls: once per second, a request also reads the commit */
async function probe(handler: BenchHandler, event: APIGatewayProxyEvent) {
  const responses: { calls: number; body: { data?: readonly unknown[] } }[] = [];
  for (let i = 0; i < 4; i++) {
    const before = calls;
    const response = await handler(event);
    responses.push({ calls: calls - before, body: JSON.parse(response.body) });
  }
  const body = responses[0]?.body ?? {};
  return { calls: Math.min(...responses.map((response) => response.calls)), body, items: body.data?.length };
}
