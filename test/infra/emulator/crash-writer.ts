/** Opens a table on a folder, prints where, and writes numbered items until it is killed, printing each number once the engine has taken it. */
import { openLocalTable } from '../../../infra/start/local-stage.ts';
import { crashDefinition } from './table-only.ts';

const [folder = '', engine] = process.argv.slice(2);
const { table, endpoint } = await openLocalTable(crashDefinition, {
  folder,
  engine: engine === 'dynoxide' ? engine : 'dynalite',
});
process.stdout.write(`${endpoint}\n`);
for (let n = 0; ; n += 1) {
  await table.put({ pk: 'n', sk: String(n).padStart(6, '0'), filler: 'x'.repeat(1_000) });
  process.stdout.write(`${n}\n`);
}
