import { expect, test } from 'vitest';
import { html } from '../../../shared/web/pages/write-html.ts';

test('the title of a page is text: characters of HTML in it are escaped', () => {
  const assets = { scripts: [], styles: [], icon: 'icon.svg', preload: [] };
  expect(html('a </title> & "b"', assets, '', 'classic')).toContain(
    '<title>a &lt;/title&gt; &amp; &quot;b&quot;</title>',
  );
});
