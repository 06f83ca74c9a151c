import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../app.ts';
import { bundleService } from '../../bundle/bundle-service.ts';
import { readOwnSettings } from '../../config/settings.ts';
import { runCli } from '../run-cli.ts';

/** The CDK app with a version of one function that fails in every request, to see that its deployment is rolled back. */
await runCli(async () => {
  const bundles = mkdtempSync(join(tmpdir(), 'endcap-failing-'));
  try {
    await bundleService(bundles);
    const text = 'export const handler = async () => { throw new Error("a version that fails on purpose"); };\n';
    writeFileSync(join(bundles, 'list-fields/index.mjs'), text);
    createApp(bundles, {}, readOwnSettings).synth();
  } finally {
    rmSync(bundles, { recursive: true });
  }
});
