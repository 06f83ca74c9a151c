/** URLs of the files of a page, such as `explorer/app-1A2B3C4D.js`. */
export interface PageAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly icon: string;
  /** Modules that the script imports statically. */
  readonly preload: readonly string[];
}

/** What the pages need before their first request. */
export interface PageSettings {
  readonly timeZone: string;
  readonly brand: Brand;
  /** Keys that the local stage offers. */
  readonly demoKeys: readonly DemoKey[];
}

/** What the pages show of the operator: a name, an image as a data: URL, and whom to ask. */
export interface Brand {
  readonly name?: string | undefined;
  readonly logo?: string | undefined;
  readonly contact?: string | undefined;
}

interface DemoKey {
  readonly key: string;
  /** Whose view of the network it gives. */
  readonly view: string;
}

/** @param text `key=whose view,key=whose view` */
export function parseDemoKeys(text = ''): DemoKey[] {
  const entries = text.split(',').filter((entry) => entry !== '');
  return entries.map((entry) => {
    const [key = '', view = ''] = entry.split('=');
    return { key, view };
  });
}

export function writeExplorerHtml(assets: PageAssets, { timeZone, brand, demoKeys }: PageSettings): string {
  const data = attributes({
    'data-time-zone': timeZone,
    'data-brand': JSON.stringify(brand),
    'data-demo-keys': demoKeys.map(({ key, view }) => `${key}=${view}`).join(','),
  });
  const body = `  <div id="app"${data}></div>
  <noscript><p>The explorer needs JavaScript. The API works without it: see the <a href="docs">documentation</a>.</p></noscript>`;
  return html(`${brand.name ?? 'Endcap'} Explorer`, assets, body, 'module');
}

/** @returns the page of the OpenAPI document, on which requests can be tried */
export function writeDocsHtml(assets: PageAssets, { brand, demoKeys }: PageSettings): string {
  const demoKey = demoKeys[0]?.key;
  const hint =
    demoKey === undefined
      ? 'Enter your API key under <b>Authorize</b>. The operator creates keys with <code>npm run key -- create --user ID</code>.'
      : `This page sends requests with the demo key <code>${escapeHtml(demoKey)}</code>.`;
  const body = `  <header>
    <strong>${writeBrand(brand)}</strong>
    <span>Advertising platform API</span>
    <a href="explorer">Explorer</a>
    <a href="openapi.json">openapi.json</a>
  </header>
  <p class="key">${hint}${writeContact(brand)}</p>
  <main id="docs"${attributes({ 'data-openapi': 'openapi.json', ...(demoKey === undefined ? {} : { 'data-key': demoKey }) })}></main>`;
  return html(`${brand.name ?? 'Endcap'} API`, assets, body, 'classic');
}

/** @returns logo and name */
function writeBrand({ name = 'Endcap', logo }: Brand): string {
  return `${logo === undefined ? '' : `<img${attributes({ src: logo, alt: '' })}> `}${escapeHtml(name)}`;
}

/** @returns a sentence that says whom to ask, '' if the operator does not say it */
export function writeContact({ contact }: Brand): string {
  return contact === undefined ? '' : ` Questions: ${escapeHtml(contact)}`;
}

/** @param title text, not HTML @returns a whole page */
export function html(title: string, assets: PageAssets, body: string, kind: 'module' | 'classic'): string {
  const { scripts, styles, icon, preload } = assets;
  const script = (src: string) =>
    `  <script${attributes(kind === 'module' ? { type: 'module', src } : { src })}></script>`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '  <meta charset="utf-8">',
    '  <meta name="viewport" content="width=device-width, initial-scale=1">',
    '  <meta name="color-scheme" content="light dark">',
    `  <title>${escapeHtml(title)}</title>`,
    `  <link${attributes({ rel: 'icon', href: icon })}>`,
    ...styles.map((href) => `  <link${attributes({ rel: 'stylesheet', href })}>`),
    ...preload.map((href) => `  <link${attributes({ rel: 'modulepreload', href })}>`),
    '</head>',
    '<body>',
    body,
    ...scripts.map(script),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}

/** @returns the text for use in HTML, also in attributes in double quotation marks */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
