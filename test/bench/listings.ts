import * as z from 'zod';
import { createKey } from '../../shared/identity/api-keys.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { writeLoadFile } from '../real/write-folder.ts';
import { SETTINGS } from '../support/report-settings.ts';

import { type BenchFolder, makeBenchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { startEngineApart } from './engine-apart.ts';
import { askApart } from './run-apart.ts';

const Spent = z.object({ wallMs: z.number(), cpuMs: z.number() });
const Compared = z.object({ calls: z.number(), ours: Spent, bare: Spent });
const Answer = z.object({ accounts: Compared, contacts: Compared });

const REACH = '≤ 1.15';
const USER = 'ana';

/** A warm page of 10 through the whole chain, against a bare handler that makes the same calls of the same emulator. */
export async function benchListings(): Promise<BenchRow[]> {
  using engine = startEngineApart();
  using folder = makeBenchFolder();
  writeListings(folder);
  const { table, tableName, endpoint } = await engine.createTable();
  const report = await loadFolder({ folder: folder.path, table, timeZone: SETTINGS.timezone });
  if (report.outcome !== 'loaded') throw new Error(`nothing was loaded: ${JSON.stringify(report.problems)}`);
  const { key } = await createKey(table, USER);
  const answer = await askApart('listings-process.ts', {
    TABLE_NAME: tableName,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    JWT_KEY_ID: 'unused',
    JWT_ISSUER: 'urn:endcap:bench',
    JWT_AUDIENCE: 'endcap',
    BENCH_USER: USER,
    BENCH_KEY: key,
  });
  const { accounts, contacts } = Answer.parse(answer);
  return [...rowsOf('accounts', accounts), ...rowsOf('contacts', contacts)];
}

function rowsOf(listing: string, { calls, ours, bare }: z.infer<typeof Compared>): BenchRow[] {
  const row = (what: string, mine: number, theirs: number): BenchRow => ({
    what: `warm page of 10 ${listing}, ${what}`,
    ours: `${mine.toFixed(2)} ms`,
    peer: `bare handler: ${theirs.toFixed(2)} ms`,
    ratio: mine / theirs,
    reach: REACH,
  });
  const note = `${calls} calls of the emulator on either side, and equal bodies; most of the time is the emulator's`;
  return [
    { ...row('on the clock', ours.wallMs, bare.wallMs), note },
    { ...row('processor time', ours.cpuMs, bare.cpuMs), note: 'of the function’s process alone' },
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
