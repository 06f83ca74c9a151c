import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { openPages, PLACEHOLDER_PERIOD } from '../../../shared/web/pages/pages.ts';
import { html } from '../../../shared/web/pages/write-html.ts';

const folder = mkdtempSync(join(tmpdir(), 'endcap-pages-'));
const noAssets = { scripts: [], styles: [], icon: 'icon.svg', preload: [] };
writeFileSync(join(folder, 'entries.json'), JSON.stringify({ explorer: noAssets, docs: noAssets, text: noAssets }));
for (const name of ['openapi.json', 'openapi-3.0.json'])
  writeFileSync(
    join(folder, name),
    JSON.stringify({ info: { title: 'Endcap' }, servers: [{ url: '/v2' }], ...PLACEHOLDER_PERIOD }),
  );
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.useRealTimers());

const ORIGIN = 'https://api.example.com';
const SERVERS = [{ url: `${ORIGIN}/v2` }];
const FIXED = { info: { title: 'Endcap' }, servers: SERVERS };

const open = (exampleEnd?: string) =>
  openPages({ folder, timeZone: 'America/New_York', brand: {}, demoKeys: [], exampleEnd });

test('the example of the OpenAPI document ends on the day before each request, as long as the process runs', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const pageOf = open();
  const read = () => {
    const page = pageOf('/openapi.json', ORIGIN);
    const plain = String(page?.plain());
    expect(String(brotliDecompressSync(page?.brotli() ?? ''))).toBe(plain);
    return JSON.parse(plain);
  };
  vi.setSystemTime('2026-03-02T12:00:00Z');
  expect(read()).toEqual({ ...FIXED, startDate: '2026-02-23', endDate: '2026-03-01' });
  vi.setSystemTime('2026-03-03T04:59:59Z'); // still 2 March in New York
  expect(read()).toEqual({ ...FIXED, startDate: '2026-02-23', endDate: '2026-03-01' });
  vi.setSystemTime('2026-03-03T05:00:00Z');
  expect(read()).toEqual({ ...FIXED, startDate: '2026-02-24', endDate: '2026-03-02' });
});

test('the example of the OpenAPI document ends on the given day', () => {
  expect(JSON.parse(String(open('2026-01-31')('/openapi.json', ORIGIN)?.plain()))).toEqual({
    ...FIXED,
    startDate: '2026-01-25',
    endDate: '2026-01-31',
  });
});

test('the server of both OpenAPI documents is the address of each request, also of another host', () => {
  const pageOf = open('2026-01-31');
  for (const path of ['/openapi.json', '/openapi-3.0.json']) {
    const serverAt = (origin: string) => JSON.parse(String(pageOf(path, origin)?.plain())).servers;
    expect([serverAt(ORIGIN), serverAt('http://localhost:3000')]).toEqual([
      SERVERS,
      [{ url: 'http://localhost:3000/v2' }],
    ]);
  }
});

test('every page shows the name of the operator and whom to ask, as text, and the logo where it has a place', () => {
  const brand = { name: 'Oat & Hill', logo: 'data:image/png;base64,AAAA', contact: '<ads@example.com>' };
  const pageOf = openPages({ folder, timeZone: 'UTC', brand, demoKeys: [], exampleEnd: undefined });
  const read = (path: string) => String(pageOf(path, ORIGIN)?.plain());
  for (const path of ['/', '/docs', '/problems/key-invalid'])
    expect([path, read(path)]).toEqual([path, expect.stringContaining('Questions: &lt;ads@example.com&gt;')]);
  for (const path of ['/', '/docs', '/docs/fields', '/problems', '/problems/key-invalid', '/explorer', '/openapi.json'])
    expect([path, read(path)]).toEqual([path, expect.not.stringContaining('Endcap')]);
  expect(JSON.parse(read('/openapi.json')).info.title).toBe('Oat & Hill');
  expect(read('/')).toContain('<h1>Oat &amp; Hill</h1>');
  expect(read('/docs')).toContain('<strong><img src="data:image/png;base64,AAAA" alt=""> Oat &amp; Hill</strong>');
  expect(read('/explorer')).toContain(
    `data-brand="${JSON.stringify(brand).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replaceAll('"', '&quot;')}"`,
  );
});

test('the title of a page is text: characters of HTML in it are escaped', () => {
  const assets = { scripts: [], styles: [], icon: 'icon.svg', preload: [] };
  expect(html('a </title> & "b"', assets, '', 'classic')).toContain(
    '<title>a &lt;/title&gt; &amp; &quot;b&quot;</title>',
  );
});
