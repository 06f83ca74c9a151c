import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Preflight } from 'cdk-preflight';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createApp } from '../../../infra/app.ts';
import { EVERY_SETTING, resourcesOf, synthesizeWith } from './synthesized.ts';

let outdir: string;
beforeEach(() => {
  outdir = mkdtempSync(join(tmpdir(), 'endcap-preflight-'));
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // CDK prints the findings there
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(outdir, { recursive: true });
});

const SETTINGS: [string, Readonly<Record<string, unknown>>][] = [
  ['no setting', {}],
  ...Object.entries(EVERY_SETTING).map(([name, value]): [string, Readonly<Record<string, unknown>>] => [
    name,
    { [name]: value },
  ]),
  ['every setting', EVERY_SETTING],
];

test.each(SETTINGS)('cdk-preflight finds nothing that AWS would reject with %s', (_, context) => {
  const app = createApp({ context, outdir });
  Preflight.apply(app, { strict: true });
  expect(() => app.synth()).not.toThrow();
});

test('cdk-preflight finds a function whose time limit AWS rejects', () => {
  const app = createApp({ outdir });
  Preflight.apply(app, { strict: true });
  const role = 'arn:aws:iam::000000000000:role/any';
  new CfnFunction(new Stack(app, 'Invalid'), 'Slow', { code: { zipFile: '0' }, role, timeout: 901 });
  expect(() => app.synth()).toThrow(/alidation/);
});

test.each(SETTINGS)('the settings of methods name no method ANY, which API Gateway rejects, with %s', (_, context) => {
  const [stage] = resourcesOf(synthesizeWith(context), 'AWS::ApiGateway::Stage').values();
  const settings = stage?.Properties.MethodSettings as readonly { HttpMethod: string }[]; // as AWS documents it
  expect(settings.map(({ HttpMethod }) => HttpMethod)).toEqual(['*', 'POST']);
});
