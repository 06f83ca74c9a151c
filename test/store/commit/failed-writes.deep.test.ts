import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { Limiter } from '../../../shared/lib/concurrency.ts';
import { beginCommit } from '../../../shared/store/commit/commits.ts';
import { Calls } from '../../../shared/store/table/calls.ts';
import { Reads } from '../../../shared/store/table/reads.ts';
import { Table } from '../../../shared/store/table/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const made = useTablePerTest();
const LATE_MS = 500;

/** @returns the table; a call that writes an item of the partition FAILS is rejected, one that writes an item of LATE arrives late */
function openSlowTable(): Table {
  const { endpoint, tableName } = made;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'us-east-1' }));
  const send = client.send.bind(client) as (command: object, options: object) => Promise<unknown>;
  const slow = async (command: { readonly input: object }, options: object) => {
    const text = JSON.stringify(command.input);
    const writes = /"(Item|PutRequest)"/.test(text);
    if (writes && text.includes('"pk":"FAILS"')) throw new Error('rejected');
    if (writes && text.includes('"pk":"LATE"')) await sleep(LATE_MS);
    return send(command, options);
  };
  const connection = {
    tableName,
    reads: new Reads(client),
    client: Object.assign(Object.create(client), { send: slow }),
    maxRetries: 9,
  };
  return new Table({ ...connection, rate: undefined }, new Calls(new Limiter(64)));
}

const itemsOf = (pk: string, count: number) => Array.from({ length: count }, (_, index) => ({ pk, sk: `1#${index}` }));

/**
 * The load was undone while other calls were still writing. What arrived after that stayed for ever: no reader sees it, and its journal, from which
 * later loads delete, was gone.
 */
test.each([
  ['in the same group', [...itemsOf('FAILS', 25), ...itemsOf('LATE', 25)], []],
  ['in the group before', [...itemsOf('FAILS', 400), ...itemsOf('LATE', 400)], []],
  ['in a group of heads', [], [...itemsOf('FAILS', 1), ...itemsOf('LATE', 1)]],
])('what arrives after a write failed %s is deleted, too', async (_, items, heads) => {
  const writer = await beginCommit(openSlowTable(), { owner: 'the test' });
  const versions = [{ n: writer.n, value: {} }];
  await writer.putItems(items);
  await writer.putHeads(heads.map((head) => ({ ...head, by: writer.n, versions })));
  await sleep(LATE_MS / 5);
  await expect(writer.finish()).rejects.toThrow('rejected');
  await sleep(2 * LATE_MS);
  await (await beginCommit(made.table, { owner: 'the next load' })).finish();
  expect((await made.content()).map(({ pk, sk }) => [pk, sk])).toEqual([['COMMIT', 'STATE']]);
});
