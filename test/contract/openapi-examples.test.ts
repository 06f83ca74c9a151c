import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ROUTES } from '../../infra/config/routes.ts';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';
import { ReportRequest } from '../../shared/contract/report/report-request.ts';
import { toCsv } from '../../shared/http/format/csv.ts';
import { document, operations } from './openapi-document.ts';

describe('the examples', () => {
  const { report, request } = examplesOf(document);

  test('of all successful responses and of the request body are valid against their schemas', () => {
    const errors = ROUTES.map(({ id, operation }) => {
      const [, , found] = operations.find(([, , { operationId }]) => operationId === id) ?? [];
      const [example] = Object.values(found?.responses[200]?.content['application/json']?.examples ?? {});
      return [id, operation.response.safeParse(example?.value).error];
    });
    expect(errors).toEqual(ROUTES.map(({ id }) => [id, undefined]));
    expect(z.safeParse(ReportRequest, request).error).toBeUndefined();
  });

  /** They used to be unnamed (`example`), so that pages and generators called them "Example 1" or nothing. */
  test('have names of their own and summaries, and no content has an unnamed one', () => {
    const contents = operations.flatMap(([, , operation]) => {
      const { requestBody, responses } = JSON.parse(JSON.stringify(operation));
      const parts = [...(requestBody === undefined ? [] : [requestBody]), responses[200]];
      return parts.flatMap(({ content }) => Object.entries<{ example?: unknown; examples?: object }>(content));
    });
    expect(contents.filter(([, { example }]) => example !== undefined)).toEqual([]);
    const named = contents.flatMap(([, { examples = {} }]) => Object.entries<{ summary: string }>(examples as never));
    for (const [name, { summary }] of named) {
      expect(name).toMatch(/^[a-z][A-Za-z]{3,}$/);
      expect(summary).toMatch(/^(An?|The|Some) [^.]{10,}$/);
    }
    expect(new Set(named.map(([name]) => name)).size).toBe(ROUTES.length);
  });

  test('of the report as CSV is the one in JSON, as the service writes it', () => {
    const { post } = JSON.parse(JSON.stringify(document.paths))['/report/{experience_name}'];
    const formats = post.responses[200]['x-endcap-formats'];
    const options = { bom: false, formulas: 'unchanged' } as const;
    expect(formats['text/csv'].examples.campaignsByCost.value).toBe(toCsv(report.headers, report.data, options));
  });

  test('of the report request and of its response fit together', () => {
    const names = report.headers.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...request.dimensions, ...request.metrics]);
    const roles = [...request.dimensions.map(() => 'dimension'), ...request.metrics.map(() => 'metric')];
    expect(report.headers.map(({ role }: { role: string }) => role)).toEqual(roles);
    expect(report.totalCount).toBe(report.data.length);
    const sums = { impressions: 0, clicks: 0, cost: 0 };
    for (const row of report.data) {
      expect(Object.keys(row)).toEqual(names);
      expect(row.click_through_rate).toBe(row.clicks / row.impressions);
      for (const name of ['impressions', 'clicks', 'cost'] as const) sums[name] += row[name];
    }
    expect(report.totals).toEqual({ ...sums, click_through_rate: sums.clicks / sums.impressions });
    expect(request.sort).toEqual([{ field: 'cost', order: 'DESC' }]);
    expect(report.data.map(({ cost }: { cost: number }) => cost)).toEqual([480.5, 310.25]);
    expect(report.meta.dataCompleteThrough).toBe(request.endDate);
  });

  test('of the token contains the claims of the other example', () => {
    const [{ token, expiresAt }, claims] = ['/jwt', '/jwt/claims'].map((path) =>
      responseExample(document, path, 'get'),
    );
    const [, payload = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims);
    expect(Date.parse(expiresAt) / 1000).toBe(claims.exp);
  });

  test('of the report are for the given period, and otherwise the same in every document', () => {
    const examplePeriod = { startDate: '2026-11-13', endDate: '2026-11-19' };
    const other = examplesOf(buildOpenApi(ROUTES, { version: '1.2.3', examplePeriod }));
    expect(other.request).toEqual({ ...request, ...examplePeriod });
    expect(other.report).toEqual({
      ...report,
      meta: {
        ...report.meta,
        period: examplePeriod,
        data: { ...report.meta.data, through: examplePeriod.endDate },
        dataCompleteThrough: examplePeriod.endDate,
      },
    });
  });
});

function examplesOf(openApi: { readonly paths: object }) {
  const { post } = JSON.parse(JSON.stringify(openApi.paths))['/report/{experience_name}'];
  const request = post.requestBody.content['application/json'].examples.campaignsByCost.value;
  return { request, report: responseExample(openApi, '/report/{experience_name}', 'post') };
}

function responseExample(openApi: { readonly paths: object }, path: string, method: string) {
  const { content } = JSON.parse(JSON.stringify(openApi.paths))[path][method].responses[200];
  const [example] = Object.values<{ value: unknown }>(content['application/json'].examples);
  return Object(example?.value);
}
