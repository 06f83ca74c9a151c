import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TABLE_FORMAT } from '../../../shared/store/commit/commit-state.ts';
import { STATE_KEY } from '../../../shared/store/table/item-keys.ts';
import { openTestService } from '../../http/support/test-service.ts';
import { FACTS, NETWORK } from '../../load/support/network-rows.ts';
import { readTable, send, writeTable } from './stored-table.ts';

/**
 * Each released format has a file here; the present one may change until 1.0.0, and its file is then written again, as before each release:
 * `WRITE_TABLE=1 npm exec -- vitest run test/store/formats`.
 */
if (process.env.WRITE_TABLE !== undefined) await writeTable();

const files = globSync('*.gz', { cwd: import.meta.dirname });

test('the present format has a table here', () => {
  expect(files).toContain(`format-${TABLE_FORMAT}.json.gz`);
});

test.each(files)('%s gives the responses of its release', async (file) => {
  const { items, exchanges } = readTable(file);
  const service = await openTestService({ users: [] });
  await service.table.deleteMany(await service.content());
  await service.table.putMany(items);
  for (const { name, request, response } of exchanges) {
    expect(await send(service, name, request)).toMatchObject(response); // items may have new members
  }
  await service.load({ contacts: NETWORK.contacts ?? [], ...FACTS });
  await service.close();
});

test.each([TABLE_FORMAT - 1, TABLE_FORMAT + 1])(
  'the functions and the loader reject format %i by name',
  async (format) => {
    const service = await openTestService();
    await service.table.update(STATE_KEY, { text: 'SET #format = :next', values: { next: format } });
    const before = await service.content();
    const message = `the table has format ${format}, and this version of Endcap reads only format ${TABLE_FORMAT}: use the version that has loaded it`;
    await expect(service.load({ 'facts/pla/delivery': [] })).rejects.toThrow(message);
    expect(await service.content()).toEqual(before);
    const { status } = await (await service.start()).send('list-accounts', { key: 'key-ana' });
    expect(status).toBe(500);
    expect(JSON.stringify(service.logged)).toContain(message);
    await service.close();
  },
);
