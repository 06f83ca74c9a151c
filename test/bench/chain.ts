import * as z from 'zod';
import type { BenchRow } from './bench-row.ts';
import { askApart } from './run-apart.ts';

const Spent = z.object({ wallUs: z.number(), cpuUs: z.number() });
const Compared = z.object({ ours: Spent, hono: Spent });
const Answer = z.object({ contacts: Compared, report: Compared });

/** The chain alone, on an identity and data in memory, against Hono's Lambda adapter with the same schemas and answers. */
export async function benchChain(): Promise<BenchRow[]> {
  const { contacts, report } = Answer.parse(await askApart('chain-process.ts'));
  return [rowOf('a page of 10 contacts', contacts), rowOf('a report request', report)];
}

function rowOf(what: string, { ours, hono }: z.infer<typeof Compared>): BenchRow {
  return {
    what: `chain alone, ${what}`,
    ours: `${ours.wallUs.toFixed(0)} µs`,
    peer: `Hono: ${hono.wallUs.toFixed(0)} µs`,
    ratio: ours.wallUs / hono.wallUs,
    reach: '< 1',
    note: `processor time ${ours.cpuUs.toFixed(0)} and ${hono.cpuUs.toFixed(0)} µs; ours also looks for a bearer token, arms the time limit and logs the request`,
  };
}
