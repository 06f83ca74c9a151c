import type { BenchRow } from './bench-row.ts';
import { benchBundles } from './bundles.ts';

/** Module init and size of each function's bundle against the bare handler's, as lines of the table. */
export async function benchBundleRows(): Promise<BenchRow[]> {
  const { rows, bareBytes, bareBytesByDefault, bareBytesWithStandIn } = await benchBundles();
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
  const note =
    `bare handler: a document client, bundled with the functions' flags; by esbuild's own choice of entries it has ` +
    `${kilobytes(bareBytesByDefault)}, with the functions' stand-in for the SDK's credential providers ${kilobytes(bareBytesWithStandIn)}`;
  const lines = rows.flatMap(({ name, bytes, sizeRatio, initMs, bareInitMs, initRatio, most }): BenchRow[] => [
    {
      what: `module init, ${name}`,
      ours: `${initMs.toFixed(0)} ms`,
      peer: `bare handler: ${bareInitMs.toFixed(0)} ms`,
      ratio: initRatio,
      reach: `≤ ${most}`,
    },
    {
      what: `bundle, ${name}`,
      ours: kilobytes(bytes),
      peer: `bare handler: ${kilobytes(bareBytes)}`,
      ratio: sizeRatio,
      reach: `≤ ${most}`,
    },
  ]);
  return lines.map((row, i) => (i === 0 ? { ...row, note } : row));
}
