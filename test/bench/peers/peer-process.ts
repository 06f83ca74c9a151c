/**
 * What a team would build instead: a bare Fastify handler that checks a key and sends one statement to DuckDB (in memory, one thread) or PostgreSQL. The first
 * message is the folder with the tables, and for PostgreSQL that of its socket; the answer has the address and the time of the load.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fastify from 'fastify';
import pg from 'pg';
import * as z from 'zod';
import { timed } from '../tools/timing.ts';
import { type Dialect, INDEXES, sqlOf, TABLES } from './reports.ts';

/** The databases' common part. */
interface Database {
  run(sql: string): Promise<unknown>;
  /** @returns the only value */
  read(sql: string): Promise<string>;
  /** Fills a table from a file, whose name comes without extension. */
  copy(table: string, file: string): Promise<unknown>;
}

async function openDuckdb(): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const main = await instance.connect();
  return {
    run: (sql) => main.run(sql),
    copy: (table, file) => main.run(`INSERT INTO ${table} SELECT * FROM '${file}.parquet'`),
    read: async (sql) => {
      const connection = await instance.connect(); // statements of one connection wait for one another
      try {
        return String((await connection.runAndReadAll(sql)).getRows()[0]?.[0]);
      } finally {
        connection.closeSync();
      }
    },
  };
}

function openPostgres(host: string): Database {
  const pool = new pg.Pool({ host, user: 'bench', database: 'postgres', max: 10 });
  return {
    run: (sql) => pool.query(sql),
    copy: (table, file) => pool.query(`COPY ${table} FROM '${file}.csv' (FORMAT csv, HEADER)`),
    read: async (sql) => String((await pool.query(sql)).rows[0]?.body),
  };
}

const Start = z.object({
  tables: z.string(),
  socket: z.string().optional(),
  key: z.string(),
  advertiserIds: z.array(z.int()),
});
const Request = z.strictObject({
  report: z.int(),
  startDate: z.iso.date(),
  endDate: z.iso.date(),
  letter: z.string().optional(),
});

process.once('message', async (message) => {
  const { tables, socket, key, advertiserIds } = Start.parse(message);
  const dialect: Dialect = socket === undefined ? 'DuckDB' : 'PostgreSQL';
  const database = socket === undefined ? await openDuckdb() : openPostgres(socket);
  const loadMs = await timed(async () => {
    for (const [table, columns] of Object.entries(TABLES)) {
      await database.run(`CREATE TABLE ${table} (${columns})`);
      await database.copy(table, join(tables, table));
    }
    if (socket === undefined) return; // DuckDB's own statistics find the rows of a period
    for (const index of INDEXES) await database.run(index);
    await database.run('VACUUM ANALYZE');
  });
  const keys = new Map([[digestOf(key), advertiserIds]]);
  const app = fastify();
  app.post('/report', async (request, reply) => {
    const owned = keys.get(digestOf(String(request.headers['x-api-key'])));
    if (owned === undefined) return reply.code(401).send({ error: 'UNAUTHORIZED' });
    const sql = sqlOf(dialect, Request.parse(request.body), owned);
    return reply.type('application/json').send(await database.read(sql));
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.({ url, loadMs });
});
process.on('disconnect', () => process.exit());

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
