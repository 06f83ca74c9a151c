/** Two of the listings without middleware, checks and consistency rules: the same calls of DynamoDB, and JSON. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import {
  accountsOfUser,
  type Key,
  type ListingRef,
  listingHeadKey,
  listingItemKey,
  listingOfAccount,
  STATE_KEY,
  viewKey,
} from '../../../shared/store/table/item-keys.ts';

const { TABLE_NAME: TableName, BENCH_USER = '' } = process.env;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

type BareHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

export const bareAccounts: BareHandler = (event) => respond(event, STATE_KEY, () => accountsOfUser(BENCH_USER));

export const bareContacts: BareHandler = (event) =>
  respond(event, viewKey(BENCH_USER), (query) => listingOfAccount('contacts', Number(query.account_id)));

/** Makes three calls in two round trips: the commit or view together with the listing's head, then the page. */
async function respond(
  event: APIGatewayProxyEvent,
  state: Key,
  listing: (query: Readonly<Record<string, string | undefined>>) => ListingRef,
): Promise<APIGatewayProxyResult> {
  const query = event.queryStringParameters ?? {};
  const offset = Number(query.offset);
  const size = Number(query.size);
  const ref = listing(query);
  const head = { TableName, Key: listingHeadKey(ref), ConsistentRead: true };
  const [{ Item }] = await Promise.all([
    client.send(new GetCommand(head)),
    client.send(new GetCommand({ TableName, Key: state, ConsistentRead: true })),
  ]);
  const { n, value } = Item?.versions.at(-1) ?? {};
  const total = Number(value?.total);
  const { pk, sk: from } = listingItemKey(ref, n, offset);
  const { sk: to } = listingItemKey(ref, n, Math.min(offset + size, total) - 1);
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    }),
  );
  const data = Items.map((item) => JSON.parse(item.json));
  const meta = { page: { offset, size, total, hasMore: offset + size < total } };
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ data, meta }),
  };
}
