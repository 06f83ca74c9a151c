import type { MiniStack } from './ministack.ts';

/** @returns every line of every log group, `group: line` */
export async function readLogs({ call }: MiniStack): Promise<string[]> {
  const groups = Object(await call('Logs_20140328.DescribeLogGroups', { limit: 50 })).logGroups ?? [];
  const lines: string[] = [];
  for (const { logGroupName } of groups) {
    let nextToken: unknown;
    do {
      const input = { logGroupName, limit: 10_000, ...(nextToken === undefined ? {} : { nextToken }) };
      const page = Object(await call('Logs_20140328.FilterLogEvents', input));
      for (const { message } of page.events ?? []) lines.push(`${logGroupName}: ${message}`);
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
  return lines;
}
