/**
 * Preloaded by the commands in package.json: Node keeps the compiled modules for the next run. This halves the processor time in which a command starts (0.75 → 0.4 s),
 * and that of each thread of a load (0.2 → 0.05 s).
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/endcap'));
