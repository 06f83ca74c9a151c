import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type EchoOptions, type EchoStage, openEchoStage } from './echo-stage.ts';

const open: EchoStage[] = [];
function start(options: EchoOptions = {}): EchoStage {
  const stage = openEchoStage({ maxInstances: 1, ...options });
  open.push(stage);
  return stage;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((stage) => stage.close()));
});

const MB = 1024 * 1024;
const BROKEN = { status: 502, text: '{"message":"Internal server error"}' };

describe('the gateway takes bodies of up to 10 MB', () => {
  test('one byte more is 413, over a real connection', async () => {
    const stage = start();
    const url = `http://127.0.0.1:${await stage.listen(0)}/v9/echo`;
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(10 * MB + 1) });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ message: 'Request Too Long' });
  });

  test('nor may it be more once it is decoded', async () => {
    const { gzipSync } = await import('node:zlib');
    const headers = { 'content-encoding': 'gzip' };
    const body = gzipSync('x'.repeat(10 * MB + 1));
    const response = await start().request({ method: 'POST', url: '/v9/echo', headers, body });
    expect(response.status).toBe(413);
  });

  test('what Lambda does not take as an event is 413 as well', async () => {
    const stage = start();
    expect((await stage.ask('/echo', { method: 'POST', body: 'x'.repeat(7 * MB) })).status).toBe(413);
  });
});

describe('a function may answer 6 MB of JSON, every quote in it escaped', () => {
  // {"statusCode":200,"body":"…"} and two bytes a quote, to 6,291,556
  const FITS = (6_291_556 - '{"statusCode":200,"body":""}'.length) / 2;

  test('the last answer that fits', async () => {
    const { status, text } = await start().ask(`/echo?do=big&quotes=${FITS}`);
    expect({ status, length: text.length }).toEqual({ status: 200, length: FITS });
  });

  test('one quote more', async () => {
    const stage = start();
    const { status, text } = await stage.ask(`/echo?do=big&quotes=${FITS + 1}`);
    expect({ status, text }).toEqual(BROKEN);
    expect(stage.logs.join('')).toContain("larger than Lambda's 6291556");
  });
});

describe('time', () => {
  test('the gateway gives up after the integration’s timeout: 504', async () => {
    const { status, text } = await start({ integrationMs: 100 }).ask('/echo?do=sleep&ms=2000');
    expect({ status, text }).toEqual({ status: 504, text: '{"message":"Endpoint request timed out"}' });
  });

  test('a function is killed at its own timeout, even one that never yields, and the next event gets a new instance', async () => {
    const stage = start({ functionSeconds: 0.5 });
    const { status, text } = await stage.ask('/echo?do=block');
    expect({ status, text }).toEqual(BROKEN);
    expect(stage.logs.join('')).toContain('timed out after 0.5 s');
    expect(await stage.ask('/echo?do=sleep&ms=0')).toMatchObject({ status: 200, text: '{"calls":1,"together":1}' });
  });
});

describe('instances', () => {
  test('an instance takes one event after another', async () => {
    const stage = start();
    const answers = await Promise.all([1, 2, 3].map(() => stage.ask('/echo?do=sleep&ms=20')));
    const texts = answers.map(({ text }) => JSON.parse(text));
    expect(texts.map(({ together }) => together)).toEqual([1, 1, 1]);
    expect(texts.map(({ calls }) => calls).sort()).toEqual([1, 2, 3]);
  });

  test('events at once go to several instances, up to the bound', async () => {
    const stage = start({ maxInstances: 2 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => stage.ask('/echo?do=sleep&ms=300')));
    const texts = answers.map(({ text }) => JSON.parse(text));
    // an instance's first call is its number 1; which of the two takes the others is a matter of which is done first
    expect(texts.filter(({ calls }) => calls === 1)).toHaveLength(2);
    expect(texts.map(({ together }) => together)).toEqual([1, 1, 1, 1]);
  });

  test.each([
    ['throws', '/echo?do=throw', 'on purpose'],
    ['ends its process', '/echo?do=exit', 'ended its process'],
  ])('a function that %s: 502, and the next event is answered', async (_, path, logged) => {
    const stage = start();
    const { status, text } = await stage.ask(path);
    expect({ status, text }).toEqual(BROKEN);
    expect(stage.logs.join('')).toContain(logged);
    expect((await stage.ask('/echo')).status).toBe(200);
  });

  test('a bundle without the handler it is said to have: 502', async () => {
    const stage = start({ handler: 'index.missing' });
    const { status, text } = await stage.ask('/echo');
    expect({ status, text }).toEqual(BROKEN);
    expect(stage.logs.join('')).toContain('has no function missing');
  });

  test('an event that still waits for one when the stage closes is an integration failure', async () => {
    const stage = openEchoStage({
      maxInstances: 1,
      resources: {
        NoInstance: {
          Type: 'AWS::ApiGateway::GatewayResponse',
          Properties: {
            ResponseType: 'INTEGRATION_FAILURE',
            StatusCode: '503',
            ResponseParameters: { 'gatewayresponse.header.Retry-After': "'1'" },
          },
        },
      },
    });
    const under = stage.ask('/echo?do=sleep&ms=5000');
    const waiting = stage.ask('/echo');
    await Promise.all([sleep(100).then(() => stage.close()), under]);
    const { status, headers } = await waiting;
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '1' });
  });

  test('closing ends what is under way', async () => {
    const stage = openEchoStage();
    const under = stage.ask('/echo?do=sleep&ms=5000').catch(() => 'cut off');
    await stage.ask('/echo?do=sleep&ms=0');
    const started = performance.now();
    await stage.close();
    await under;
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
