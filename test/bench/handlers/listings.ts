import * as z from 'zod';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { writeLoadFile } from '../../real/write-folder.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import type { BenchRow } from '../bench-row.ts';
import { type BenchFolder, makeBenchFolder } from '../tools/bench-folder.ts';
import { runProcess } from '../tools/child-process.ts';
import { startBenchEngine } from '../tools/engine.ts';

const HandlerCost = z.object({ wallMs: z.number(), cpuMs: z.number() });
const Costs = z.object({ calls: z.number(), endcap: HandlerCost, bare: HandlerCost });
const Result = z.object({ accounts: Costs, contacts: Costs });

const USER = 'ana';

/** A warm page of 10 items through the whole middleware chain, against a bare handler that makes the same calls of the same engine. */
export async function benchListings(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  using folder = makeBenchFolder();
  writeListings(folder);
  const { table, tableName, endpoint } = await engine.createTable();
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: SETTINGS.timezone });
  if (report.outcome !== 'loaded') throw new Error(`nothing was loaded: ${JSON.stringify(report.problems)}`);
  const { key } = await createKey(table, USER);
  const message = await runProcess(new URL('./listings-process.ts', import.meta.url), {
    TABLE_NAME: tableName,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    JWT_KEY_IDS: 'unused',
    JWT_ISSUER: 'urn:endcap:bench',
    JWT_AUDIENCE: 'endcap',
    BENCH_USER: USER,
    BENCH_KEY: key,
  });
  const { accounts, contacts } = Result.parse(message);
  return [...rowsOf('accounts', accounts), ...rowsOf('contacts', contacts)];
}

function rowsOf(listing: string, { calls, endcap, bare }: z.infer<typeof Costs>): BenchRow[] {
  const row = (what: string, endcapMs: number, bareMs: number): BenchRow => ({
    what: `warm page of 10 ${listing}, ${what}`,
    endcap: `${endcapMs.toFixed(2)} ms`,
    peer: `bare handler: ${bareMs.toFixed(2)} ms`,
    ratio: endcapMs / bareMs,
    target: '≤ 1.15',
  });
  const note = `${calls} calls of the embedded table and equal bodies on both sides; most of the time is spent in it`;
  return [
    { ...row('elapsed time', endcap.wallMs, bare.wallMs), note },
    {
      ...row('processor time', endcap.cpuMs, bare.cpuMs),
      note: 'of the function’s process, without the embedded table',
    },
  ];
}

function writeListings(folder: BenchFolder): void {
  const ids = Array.from({ length: 40 }, (_, i) => i + 1);
  const rows = {
    accounts: ids.map((id) => ({ id, name: `Account ${id}` })),
    contacts: ids.map((id) => ({
      id: 300 + id,
      firstName: `Ana ${id}`,
      lastName: 'Lee',
      email: `ana.${id}@example.com`,
      contactType: 'AGENCY',
      accountIds: [1],
    })),
    users: [{ userId: USER, name: 'Ana', userType: 'AGENCY', accountIds: ids }],
  };
  for (const [name, list] of Object.entries(rows)) writeLoadFile(folder.path, `${name}.ndjson`, list);
}
