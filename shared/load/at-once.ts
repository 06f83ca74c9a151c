/**
 * Runs `work` on every member, at most `limit` at a time, in order of their start. After the first error nothing further is started; it is thrown
 * when what was under way has ended.
 */
export async function forEachAtOnce<T>(
  members: Iterable<T>,
  limit: number,
  work: (member: T) => Promise<void>,
): Promise<void> {
  const queue = members[Symbol.iterator]();
  const failures: unknown[] = [];
  const runner = async () => {
    for (let next = queue.next(); failures.length === 0 && next.done !== true; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, runner));
  if (failures.length > 0) throw failures[0];
}
