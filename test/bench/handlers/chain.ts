import * as z from 'zod';
import type { BenchRow } from '../bench-row.ts';
import { runProcess } from '../tools/child-process.ts';

const Cost = z.object({ wallUs: z.number(), cpuUs: z.number() });
const Costs = z.object({ endcap: Cost, hono: Cost });
const Result = z.object({ contacts: Costs, report: Costs });

/** The middleware chain without DynamoDB, against Hono's Lambda adapter with the same schemas and responses. */
export async function benchChain(): Promise<BenchRow[]> {
  const { contacts, report } = Result.parse(await runProcess(new URL('./chain-process.ts', import.meta.url)));
  return [rowOf('a page of 10 contacts', contacts), rowOf('a report request', report)];
}

function rowOf(what: string, { endcap, hono }: z.infer<typeof Costs>): BenchRow {
  return {
    what,
    endcap: `${endcap.wallUs.toFixed(0)} µs`,
    peer: `Hono: ${hono.wallUs.toFixed(0)} µs`,
    ratio: endcap.wallUs / hono.wallUs,
    target: '< 1',
    note: `processor time ${endcap.cpuUs.toFixed(0)} and ${hono.cpuUs.toFixed(0)} µs; Endcap also checks for a bearer token, sets the deadline and logs the request`,
  };
}
