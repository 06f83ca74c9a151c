import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Tags } from 'aws-cdk-lib';
import { bundleService } from './bundle/bundle-service.ts';
import { runCli, writeLine } from './cli/run-cli.ts';
import { readDefaults, readOwnSettings, readSettings, type Settings } from './config/settings.ts';
import { ApiStack } from './stack/api-stack.ts';

export const STACK_ID = 'Endcap';

/**
 * @returns the CDK app. The credentials with which it is deployed decide account and region.
 * @param bundles the folder in which `bundleService` has written
 * @param options.context the context for calls without the CDK command line; values that the command line passes in the environment take precedence
 * @param options.outdir where `synth()` writes; the CDK command line passes it in the environment
 * @param read reads the settings in the context
 */
export function createApp(
  bundles: string,
  { context, ...options }: { context?: Record<string, unknown>; outdir?: string } = {},
  read: (context: Record<string, unknown>) => Settings = readSettings,
): App {
  const app = new App({ analyticsReporting: false, ...options, context: { ...readDefaults(), ...context } });
  const settings = read(app.node.getAllContext());
  const { stackName, tags } = settings;
  const terminationProtection = settings.removalPolicy === 'retain';
  // CloudFormation copies the stack's tags to most resources, but not to the table. Tags.of tags all resources, but not the stack (feature flag explicitStackTags).
  const stack = new ApiStack(app, STACK_ID, { bundles, stackName, settings, tags, terminationProtection });
  for (const [name, value] of Object.entries(tags)) Tags.of(stack).add(name, value);
  return app;
}

if (import.meta.main) {
  await runCli(async () => {
    const bundles = mkdtempSync(join(tmpdir(), 'endcap-bundles-'));
    try {
      await bundleService(bundles);
      const { directory } = createApp(bundles, {}, readOwnSettings).synth();
      writeLine(process.stderr, `endcap: the template is in ${directory}`);
    } finally {
      rmSync(bundles, { recursive: true });
    }
  });
}
