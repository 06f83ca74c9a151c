import type { ReportMeta } from '../../../../shared/web/client/client.ts';

/** @returns what a report would cost, in a sentence */
export function describeEstimate({ seconds, readUnits, rows }: NonNullable<ReportMeta['estimate']>): string {
  const count = (value: number) => value.toLocaleString('en-US');
  return `The report is valid. It would take about ${seconds.toPrecision(2)} seconds and ${count(readUnits)} read units, for ${count(rows)} stored rows.`;
}
