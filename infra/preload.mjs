/**
 * Preloaded by the scripts in package.json, by the CDK app in cdk.json and by the configurations of vitest. It is JavaScript that Node 20 can load, because
 * the shell's Node runs it if the package `node` has no program here.
 */
import module from 'node:module';
import { join } from 'node:path';

const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `endcap: this needs Node ${NEEDED} or newer and runs under Node ${process.versions.node}, because the package "node" was installed without its install script, or does not run on this system (as on Alpine): run "npm rebuild node --ignore-scripts=false", or install Node ${NEEDED}\n`,
  );
  process.exit(1);
}

// Node keeps the compiled modules for the next run. This halves the processor time in which a command starts (0.75 → 0.4 s), and that of each thread of a
// load (0.2 → 0.05 s).
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/endcap'));
