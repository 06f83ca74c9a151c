import { expect, test } from 'vitest';
import * as z from 'zod';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import {
  EVERY_SETTING,
  resourcesOf,
  shorten,
  single,
  synthesizeDefault,
  synthesizeWith,
  withoutHash,
} from './synthesized.ts';

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
  for (const { function: name } of FUNCTION_ROUTES) expect(body.split(`"label":"${name}"`).length - 1).toBe(8);
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

test('nothing sends traces, which could contain a key', () => {
  for (const { Properties } of resourcesOf(complete, 'AWS::Lambda::Function').values()) {
    expect(Properties.TracingConfig).toBeUndefined();
  }
  expect(JSON.stringify(complete)).not.toContain('xray:');
  expect(single(complete, 'AWS::ApiGateway::Stage').Properties.TracingEnabled).toBe(false);
});

test('the settings of logs apply to the routes; other functions always log at INFO, because alarms need their lines', () => {
  const levels = [...resourcesOf(complete, 'AWS::Lambda::Function')].map(([id, { Properties }]) => {
    const { ApplicationLogLevel, SystemLogLevel } = Object(Properties.LoggingConfig);
    return [withoutHash(id), ApplicationLogLevel, SystemLogLevel];
  });
  expect(levels).toEqual([
    ...[...FUNCTION_ROUTES, PAGES].map((route) => [pascalCase(route.function), 'WARN', 'WARN']),
    ['IngestionIngestFolder', 'INFO', 'WARN'],
    ['CheckCheckService', 'INFO', 'WARN'],
    ['FreshnessMeasureFreshness', 'INFO', 'WARN'],
  ]);
});
