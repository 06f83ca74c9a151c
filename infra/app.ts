import { App } from 'aws-cdk-lib';
import { runCli } from './cli/run-cli.ts';
import { readSettings } from './settings.ts';
import { ApiStack } from './stack/api-stack.ts';

/**
 * The CDK app. Account and region are those of the credentials it is deployed with.
 * @param options.context replaces that of `cdk.json`, which the CDK command line passes on by itself
 * @param options.outdir where `synth()` writes; given by the command line when it runs the app
 */
export function createApp(options: { context?: Record<string, unknown>; outdir?: string } = {}): App {
  const app = new App({ analyticsReporting: false, ...options });
  const settings = readSettings(app.node.getAllContext());
  new ApiStack(app, 'Endcap', { stackName: settings.stackName, settings });
  return app;
}

if (import.meta.main) await runCli(async () => void createApp().synth());
