/**
 * Opens a table in a folder, prints its endpoint, and writes numbered items until it is killed. It prints each number after the engine has
 * accepted the item.
 */
import { openLocalTable } from '../../../../infra/local/local-stage.ts';

const [folder = ''] = process.argv.slice(2);
const { table, endpoint } = await openLocalTable({ folder });
process.stdout.write(`${endpoint}\n`);
for (let n = 0; ; n += 1) {
  await table.put({ pk: 'n', sk: String(n).padStart(6, '0'), filler: 'x'.repeat(1_000) });
  process.stdout.write(`${n}\n`);
}
