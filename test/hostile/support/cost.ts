import type { TestService } from '../../http/support/test-service.ts';

/**
 * Begins to measure what requests cost, without the table's emulator, which works in another thread.
 * @returns a function that returns the units in the log lines since then, and the processor time of this thread
 */
export function measureCost({ logged }: Pick<TestService, 'logged'>) {
  const from = logged.length;
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    const lines = logged.slice(from).filter(({ message }) => message === 'request');
    const unitsOf = (name: 'readUnits' | 'writeUnits') => lines.map((line) => Number(line[name]));
    const [read, written] = [unitsOf('readUnits'), unitsOf('writeUnits')];
    const sum = (units: readonly number[]) => units.reduce((total, count) => total + count, 0);
    return {
      ...{ requests: lines.length, 'read units': sum(read), 'write units': sum(written) },
      ...{ 'most read units': Math.max(0, ...read), 'most write units': Math.max(0, ...written) },
      'processor s': (user + system) / 1e6,
    };
  };
}
