import { App, Tags } from 'aws-cdk-lib';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { runCli } from './cli/run-cli.ts';
import { readSettings } from './config/settings.ts';
import { ApiStack } from './stack/api-stack.ts';

/**
 * @returns the CDK app. The credentials with which it is deployed decide account and region.
 * @param options.context the context for calls without the CDK command line; values that the command line passes in the environment take precedence
 * @param options.outdir where `synth()` writes; the CDK command line passes it in the environment
 */
export function createApp(options: { context?: Record<string, unknown>; outdir?: string } = {}): App {
  const context = { ...featureFlags, ...options.context };
  const app = new App({ analyticsReporting: false, ...options, context });
  const settings = readSettings(app.node.getAllContext());
  const { stackName, tags, terminationProtection } = settings;
  // CloudFormation copies the stack's tags to most resources, but not to the table. Tags.of tags all resources, but not the stack (feature flag explicitStackTags).
  const stack = new ApiStack(app, 'Endcap', { stackName, settings, tags, terminationProtection });
  for (const [name, value] of Object.entries(tags)) Tags.of(stack).add(name, value);
  return app;
}

if (import.meta.main) await runCli(async () => void createApp().synth());
