import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BINARY_MEDIA_TYPES } from '../../../../infra/config/service.ts';
import { METRIC_NAMES } from '../../../../shared/catalog/metrics.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
});
afterAll(() => stage.close());

const KEY = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' };

/** The largest page of a JSON report. */
const LARGEST = { offset: 0, size: 10_000 };

/** Sends the request again when a busy machine has exceeded the time limit of the function. */
async function send(headers: Readonly<Record<string, string>>, pagination = LARGEST) {
  const body = JSON.stringify({
    startDate: '2026-01-01',
    endDate: '2026-03-01',
    advertiserIds: [],
    filters: [],
    metrics: METRIC_NAMES,
    dimensions: ['daily_date', 'hour', 'ad_group_id', 'placement'],
    sort: [],
    pagination,
  });
  const sent = { ...KEY, 'Content-Type': 'application/json', ...headers };
  for (;;) {
    const response = await stage.request({ method: 'POST', url: '/v2/report/toa', headers: sent, body });
    if (response.status !== 504) return response;
  }
}

/** @returns the page without the request id and its position */
function pageOf(bytes: Buffer) {
  const { meta, ...page } = JSON.parse(bytes.toString());
  return { ...page, meta: { ...meta, requestId: undefined, page: undefined } };
}

describe('a page of 10,000 rows with all metrics', () => {
  test('is the same page in gzip and br, and ends with the rows of an uncompressed page of its last 2,000 rows', async () => {
    const gzip = await send({ Accept: '*/*', 'Accept-Encoding': 'gzip' });
    const br = await send({ Accept: 'application/json', 'Accept-Encoding': 'br, gzip, identity;q=0' });
    for (const [{ status, headers }, coding] of [
      [gzip, 'gzip'],
      [br, 'br'],
    ] as const) {
      expect({ status, coding: headers['content-encoding'], vary: headers.vary }).toEqual({
        status: 200,
        coding,
        vary: 'Accept, Accept-Encoding',
      });
    }
    const json = gunzipSync(gzip.body);
    expect(json.length).toBeGreaterThan(12_000_000); // an uncompressed page may have at most 5,500,000 bytes
    const page = pageOf(json);
    expect(page.data).toHaveLength(10_000);
    expect(Object.keys(page.data[0])).toHaveLength(METRIC_NAMES.length + 4);
    expect(pageOf(brotliDecompressSync(br.body))).toEqual(page);

    const small = await send({}, { offset: 8_000, size: 2_000 });
    expect(small.headers).not.toHaveProperty('content-encoding');
    expect(pageOf(small.body)).toEqual({ ...page, data: page.data.slice(8_000) });
  });

  test.each([
    ['identity;q=0', '*/*'],
    ['*;q=0', '*/*'],
    ['deflate', '*/*'],
    [undefined, '*/*'],
    ['gzip', undefined],
  ])('is rejected if the client sends Accept-Encoding: %s and Accept: %s', async (coding, accept) => {
    const headers = {
      ...(coding === undefined ? {} : { 'Accept-Encoding': coding }),
      ...(accept === undefined ? {} : { Accept: accept }),
    };
    const response = await send(headers);
    expect(response.status).toBe(422);
    expect(response.json()).toMatchObject({
      code: 'PAGE_TOO_LARGE',
      detail: expect.stringMatching(
        /^This page would have \d+ bytes; the maximum is 5500000\. To get it compressed, send the headers Accept: application\/json and Accept-Encoding: gzip\. Otherwise, from this offset on, request a size of \d+ or less\.$/,
      ),
    });
  });
});

test('JSON bodies are read as UTF-8 and limited to 1 MiB, although API Gateway passes them in base64', async () => {
  expect(BINARY_MEDIA_TYPES).toEqual(['*/*']);
  const request = (body: Buffer, headers: object = {}) =>
    stage.request({
      method: 'POST',
      url: '/v2/report/pla',
      headers: { ...KEY, 'Content-Type': 'application/json', ...headers },
      body,
    });
  const name = Buffer.from('{"startDate": "Ä\u20ac", "é": 1}');
  const sent = (await request(name)).json();
  expect(sent).toMatchObject({ code: 'INVALID_REQUEST' });
  expect(JSON.stringify(sent)).toContain('"/é"');
  expect((await request(Buffer.from('{"a":"\xe9"}', 'latin1'))).json()).toMatchObject({ code: 'MALFORMED_JSON' });
  expect((await request(Buffer.alloc(1_048_577, ' '))).json()).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    detail: 'The body has 1048577 bytes; the maximum is 1048576.',
  });
});
