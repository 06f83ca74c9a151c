/** The process of a table engine: creates a table for each message and sends back its name and endpoint. */
import { startEngine } from '../../support/table.ts';

const engine = await startEngine('dynalite');

process.on('message', async () => {
  const { tableName, endpoint } = await engine.createTable();
  process.send?.({ tableName, endpoint });
});
process.on('disconnect', () => process.exit());
