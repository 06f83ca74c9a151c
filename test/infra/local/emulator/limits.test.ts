import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type EchoOptions, type EchoStage, openEchoStage } from './echo-stage.ts';

const open: EchoStage[] = [];
function start(options: EchoOptions = {}): EchoStage {
  const stage = openEchoStage(options);
  open.push(stage);
  return stage;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((stage) => stage.close()));
});

const MB = 1024 * 1024;
/** @returns what the test compares of a response that the gateway generates */
const problemOf = ({ status, text }: { status: number; text: string }) => ({ status, code: JSON.parse(text).code });
const FAILED = { status: 500, code: 'INTERNAL_ERROR' };

const untilLogged = (stage: EchoStage, text: string) => expect.poll(() => stage.logs.join('')).toContain(text);

describe('the gateway responds 413', () => {
  test('to a body of one byte more than 10 MB, over a real connection', async () => {
    const url = `http://127.0.0.1:${await start().listen()}/v2/echo`;
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(10 * MB + 1) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('to a body that has more than 10 MB once it is decoded', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const body = gzipSync('x'.repeat(10 * MB + 1));
    const response = await start().request({ method: 'POST', url: '/v2/echo', headers, body });
    expect(response.status).toBe(413);
  });
});

describe('a function may return 6 MB of JSON, in which quotes are escaped', () => {
  // {"statusCode":200,"headers":{},"body":"…"} and two bytes per quote make at most 6,291,556 bytes
  const FITS = Math.floor((6_291_556 - '{"statusCode":200,"headers":{},"body":""}'.length) / 2);

  test('and the largest result that fits is sent', async () => {
    const { status, text } = await start().send(`/echo?do=big&quotes=${FITS}`);
    expect({ status, length: text.length }).toEqual({ status: 200, length: FITS });
  });

  test('and one quote more is a 500', async () => {
    const stage = start();
    const { status, text } = await stage.send(`/echo?do=big&quotes=${FITS + 1}`);
    expect(problemOf({ status, text })).toEqual(FAILED);
    expect(stage.logs.join('')).toContain("larger than Lambda's 6291556");
  });
});

describe('time limits', () => {
  test('the gateway responds 504 after the integration timeout', async () => {
    const { status, text } = await start({ integrationMs: 100 }).send('/echo?do=hang');
    expect(problemOf({ status, text })).toEqual({ status: 504, code: 'DEADLINE_EXCEEDED' });
  });

  test('a function that blocks is killed at its own timeout, and a new thread handles the next event', async () => {
    const stage = start({ functionSeconds: 1 });
    const { status, text } = await stage.send('/echo?do=block');
    expect(problemOf({ status, text })).toEqual(FAILED);
    expect(stage.logs.join('')).toContain('timed out after 1 s');
    // repeated, because on a busy machine the new thread may need more than its second to start
    await vi.waitFor(
      async () =>
        expect(await stage.send('/echo?do=count')).toMatchObject({ status: 200, text: '{"calls":1,"concurrent":1}' }),
      { timeout: 60_000 },
    );
  });
});

describe('threads', () => {
  test('a thread handles one event at a time', async () => {
    const stage = start();
    const responses = await Promise.all([1, 2, 3].map(() => stage.send('/echo?do=count')));
    const results = responses.map(({ text }) => JSON.parse(text));
    expect(results.map(({ concurrent }) => concurrent)).toEqual([1, 1, 1]);
    expect(results.map(({ calls }) => calls).sort()).toEqual([1, 2, 3]);
  });

  test.each(['header', 'query'])(
    'waiting events of different API keys, which are in the %s, take turns',
    async (place) => {
      const stage = start();
      const served: string[] = [];
      const send = async (apiKey: string) => {
        if (place === 'query') await stage.send(`/echo?do=count&subscription-key=${apiKey}`);
        else await stage.send('/echo?do=count', { headers: { 'ocp-apim-subscription-key': apiKey } });
        served.push(apiKey);
      };
      const flood = Array.from({ length: 6 }, () => send('flood'));
      await Promise.all([...flood, send('user'), send('user')]);
      expect(served).toEqual(['flood', 'user', 'flood', 'user', 'flood', 'flood', 'flood', 'flood']);
    },
  );

  test('functions that compute do not delay the others', async () => {
    const stage = openEchoStage();
    const computing = stage.send('/large?do=hang');
    await untilLogged(stage, 'the function hangs');
    expect((await stage.send('/echo')).status).toBe(200);
    await stage.close();
    expect((await computing).status).toBe(500);
  });

  test('functions of one thread have their own names and variables', async () => {
    const stage = start();
    const texts: string[] = [];
    for (const path of ['/echo', '/other', '/echo']) texts.push((await stage.send(`${path}?do=env`)).text);
    expect(texts.map((text) => JSON.parse(text))).toMatchObject([
      { AWS_LAMBDA_FUNCTION_NAME: 'echo', OWN: 'by the definition' },
      { AWS_LAMBDA_FUNCTION_NAME: 'other', OWN: 'by the gateway' },
      { AWS_LAMBDA_FUNCTION_NAME: 'echo', OWN: 'by the definition' },
    ]);
  });

  test.each([
    ['throws', '/echo?do=throw', 'on purpose'],
    ['ends its process', '/echo?do=exit', 'ended its process'],
    ['exceeds the memory of its definition', '/echo?do=allocate', 'memory limit'],
  ])('a function that %s is a 500, and an event that waits succeeds', async (_, path, logged) => {
    const stage = start();
    const [failed, waiting] = await Promise.all([stage.send(path), stage.send('/other')]);
    expect(problemOf(failed)).toEqual(FAILED);
    expect(stage.logs.join('')).toContain(logged);
    expect(waiting.status).toBe(200);
  });

  test('a bundle that lacks its handler is a 500', async () => {
    const stage = start({ bundle: 'nothing' });
    const { status, text } = await stage.send('/echo');
    expect(problemOf({ status, text })).toEqual(FAILED);
    expect(stage.logs.join('')).toContain('is not a function');
  });

  test('an event that waits when the gateway closes is an integration failure', async () => {
    const stage = openEchoStage();
    const running = stage.send('/echo?do=hang');
    const waiting = stage.send('/echo');
    await untilLogged(stage, 'the function hangs');
    await stage.close();
    expect((await running).status).toBe(500);
    const { status, headers } = await waiting;
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '1' });
  });

  test('closing the gateway ends invocations in progress', async () => {
    const stage = openEchoStage();
    const running = stage.send('/echo?do=hang');
    await untilLogged(stage, 'the function hangs');
    await stage.close();
    expect((await running).status).toBe(500);
  });
});
