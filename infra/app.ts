import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import { readSettings } from './settings.ts';

/**
 * The CDK app. Account and region are those of the credentials it is deployed with.
 * @param options.context replaces that of `cdk.json`, which the CDK command line passes on by itself
 * @param options.outdir where `synth()` writes; given by the command line when it runs the app
 */
export function createApp(options: { context?: Record<string, unknown>; outdir?: string } = {}): App {
  const app = new App(options);
  const settings = readSettings(app.node.getAllContext());
  new ApiStack(app, 'Endcap', { stackName: settings.stackName, settings });
  return app;
}

/** The context in `cdk.json`, for those that make the app without the CDK command line. */
export function readContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'cdk.json'), 'utf8')).context ?? {};
}

if (import.meta.main) createApp().synth();
