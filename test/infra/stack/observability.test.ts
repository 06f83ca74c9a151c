import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { bundleHandlers } from '../../../infra/bundle/bundle-handlers.ts';
import { HANDLERS } from '../../../infra/bundle/bundle-service.ts';
import { PAGES, ROUTES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import {
  EVERY_SETTING,
  resourcesOf,
  shorten,
  single,
  synthesizeDefault,
  synthesizeWith,
  type Template,
  withoutHash,
} from './support/synthesized.ts';

const template = synthesizeDefault();
const complete = synthesizeWith(EVERY_SETTING);

test('the dashboard shows traffic, latency, work and health of every function', () => {
  const body = String(shorten(single(template, 'AWS::CloudWatch::Dashboard').Properties.DashboardBody));
  const { widgets } = JSON.parse(body) as { widgets: { properties: { title?: string; markdown?: string } }[] };
  expect(widgets.flatMap(({ properties: { title } }) => title ?? [])).toEqual([
    'Requests',
    'Error responses',
    'Function invocations',
    'At the gateway (ms)',
    'Functions, p50 (ms)',
    'Functions, p99 (ms)',
    'Rows scanned by reports',
    'Rows scanned per report',
    'Read units per request',
    'Read units by function',
    'Read and write units of the table',
    'Function errors: crash, timeout, out of memory',
    'Requests with status 500',
    'Throttled: no instance available',
    'Throttled by the table',
    'Slowest routes in the access log',
  ]);
  // by function: requests, p50, p99, read units in two ways, errors in two ways, and throttles
  for (const { function: name } of ROUTES) expect(body.split(`"label":"${name}"`).length - 1).toBe(8);
  for (const metric of ['readUnits', 'rowsScanned']) expect(body).toContain(`["Endcap","${metric}","functionName",`);
});

test('every log group is an output of the stack, by which an operator finds it', () => {
  const { Outputs } = z.object({ Outputs: z.record(z.string(), z.object({ Value: z.unknown() })) }).parse(complete);
  const groups = [...resourcesOf(complete, 'AWS::Logs::LogGroup').keys()].sort();
  const named = Object.entries(Outputs).filter(([name]) => name.endsWith('LogName'));
  expect(named.map(([, { Value }]) => Object(Value).Ref).sort()).toEqual(groups);
  expect(named.map(([name]) => name)).toEqual(
    expect.arrayContaining(['AccessLogName', 'GatewayErrorLogName', 'SubmitReportLogName', 'IngestFolderLogName']),
  );
});

describe('traces', () => {
  const tracingOf = (of: Template) =>
    [...resourcesOf(of, 'AWS::Lambda::Function').values()].map(({ Properties }) => Properties.TracingConfig);

  test('are off by default, and functions may not send any', () => {
    expect(new Set(tracingOf(template))).toEqual(new Set([undefined]));
    expect(JSON.stringify(template)).not.toContain('xray:');
  });

  test('contain no query string and no key unless the caller starts one: API Gateway starts none, and no function has code that adds to a trace', async () => {
    expect(new Set(tracingOf(complete).map((config) => JSON.stringify(config)))).toEqual(
      new Set(['{"Mode":"Active"}']),
    );
    expect(single(complete, 'AWS::ApiGateway::Stage').Properties.TracingEnabled).toBe(false);
    for (const { Properties } of resourcesOf(complete, 'AWS::Lambda::Function').values()) {
      expect(Properties.Layers).toBeUndefined(); // such as those that instrument handlers
      expect(JSON.stringify(Properties.Environment)).not.toMatch(/AWS_LAMBDA_EXEC_WRAPPER|OTEL_|AWS_XRAY/);
    }
    const folder = mkdtempSync(join(tmpdir(), 'endcap-bundles-'));
    const { inputs, outputs } = await bundleHandlers(HANDLERS, folder);
    rmSync(folder, { recursive: true });
    expect(Object.keys(outputs)).toHaveLength(resourcesOf(complete, 'AWS::Lambda::Function').size);
    const sources = Object.keys(inputs);
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((path) => /xray|x-ray|opentelemetry/i.test(path))).toEqual([]);
  });
});

test('the settings of logs apply to the routes; other functions always log at INFO, because alarms need their lines', () => {
  const levels = [...resourcesOf(complete, 'AWS::Lambda::Function')].map(([id, { Properties }]) => {
    const { ApplicationLogLevel, SystemLogLevel } = Object(Properties.LoggingConfig);
    return [withoutHash(id), ApplicationLogLevel, SystemLogLevel];
  });
  expect(levels).toEqual([
    ...[...ROUTES, PAGES].map((route) => [pascalCase(route.function), 'WARN', 'WARN']),
    ['IngestionIngestFolder', 'INFO', 'WARN'],
    ['FreshnessMeasureFreshness', 'INFO', 'WARN'],
  ]);
});
