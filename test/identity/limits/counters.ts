import { Table } from '../../../shared/store/table/client.ts';

/** @returns a table in memory that has only the counters of quotas, and the number of its reads and of its successful writes */
export function openCounters() {
  const leased = new Map<string, number>();
  const counters = { reads: 0, writes: 0, failing: false };
  const table = Object.create(Table.prototype, {
    get: {
      value: async ({ pk, sk }: { pk: string; sk: string }) => {
        counters.reads += 1;
        if (counters.failing) throw new Error('the table is unreachable');
        const sum = leased.get(`${pk} ${sk}`);
        return sum === undefined ? undefined : { pk, sk, leased: sum };
      },
    },
    updateAndGet: {
      value: async ({ pk, sk }: { pk: string; sk: string }, { values }: { values: { amount: number } }) => {
        if (counters.failing) throw new Error('the table is unreachable');
        counters.writes += 1;
        const sum = (leased.get(`${pk} ${sk}`) ?? 0) + values.amount;
        leased.set(`${pk} ${sk}`, sum);
        return { pk, sk, leased: sum };
      },
    },
  });
  return { table, counters };
}
