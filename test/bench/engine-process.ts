/** The inside of an engine that runs apart: makes a table whenever it is sent a message, and answers where it is. */
import { startEngine } from '../support/table.ts';

const engine = await startEngine('dynalite');

process.on('message', async () => {
  const { tableName, endpoint } = await engine.createTable();
  process.send?.({ tableName, endpoint });
});
process.on('disconnect', () => process.exit());
