import { compatibilityRules } from '../../catalog/describe/compatibility.ts';
import { describedDimensions, describedMetrics, describedOperators } from '../../catalog/describe/describe-fields.ts';
import { BASE_PATH, MAX_LISTED_FIELDS, problemKind } from '../../contract/problem.ts';
import { PROBLEM_ADVICE } from '../../contract/problem-advice.ts';
import { FIELD_CODES, PROBLEMS, type ProblemCode } from '../../lib/errors.ts';
import { keysOf } from '../../lib/keys-of.ts';
import { type Brand, escapeHtml, html, type PageAssets, writeContact } from './write-html.ts';

const CODES = keysOf(PROBLEMS);

/** Functions that write the pages of text, by path. */
type TextPages = ReadonlyMap<string, (assets: PageAssets) => string>;

/** @returns the pages of text: the start page, the reference of fields, the list of problems, and one page for each type of problem */
export function textPages(brand: Brand): TextPages {
  return new Map([
    ['/', (assets: PageAssets) => page(brand, brand.name ?? 'Endcap', assets, writeStart(brand))],
    ['/docs/fields', (assets: PageAssets) => page(brand, 'Fields', assets, writeFields())],
    ['/problems', (assets: PageAssets) => page(brand, 'Problems', assets, writeProblems())],
    ...CODES.map((code): [string, (assets: PageAssets) => string] => [
      problemKind(code).type.slice(BASE_PATH.length),
      (assets) => page(brand, PROBLEMS[code].title, assets, writeProblem(code, brand)),
    ]),
  ]);
}

/** The pages have several depths, so their links and files are relative to the host. */
function page({ name = 'Endcap' }: Brand, title: string, { styles, icon }: PageAssets, content: string): string {
  const absolute = (path: string) => `${BASE_PATH}/${path}`;
  const assets = { styles: styles.map(absolute), icon: absolute(icon), scripts: [], preload: [] };
  const links = [
    ['explorer', 'Explorer'],
    ['docs', 'API'],
    ['docs/fields', 'Fields'],
    ['problems', 'Problems'],
    ['openapi.json', 'openapi.json'],
  ] as const;
  const nav = links.map(([path, text]) => `<a href="${absolute(path)}">${text}</a>`).join(' ');
  const body = `<nav>${nav}</nav>\n<main>\n<h1>${escapeHtml(title)}</h1>\n${content}\n</main>`;
  return html(title === name ? name : `${title} – ${name}`, assets, body, 'classic');
}

function writeStart(brand: Brand): string {
  return [
    paragraph('The advertising platform API of a retail media network.'),
    '<ul>',
    `<li><a href="${BASE_PATH}/explorer">Explorer</a>: ask for a report, see it as a chart and a table, and download or share it.</li>`,
    `<li><a href="${BASE_PATH}/docs">API</a>: all operations, to read and to try.</li>`,
    `<li><a href="${BASE_PATH}/docs/fields">Fields</a>: what every metric and dimension means.</li>`,
    `<li><a href="${BASE_PATH}/problems">Problems</a>: what every error means, and what to do.</li>`,
    '</ul>',
    `<p>${writeContact(brand)}</p>`,
  ].join('\n');
}

function writeFields(): string {
  const groups = (fields: readonly ReturnType<typeof describedMetrics | typeof describedDimensions>[number][]) =>
    [...Map.groupBy(fields, ({ group }) => group)].map(([group, own]) =>
      [
        `<h3>${escapeHtml(capitalize(group))}</h3>`,
        table(
          ['Name', 'Title', 'Type', 'Meaning'],
          own.map(({ name, title, type, unit, description, values = [] }) => [
            `<code id="${name}">${name}</code>`,
            escapeHtml(title),
            unit === null ? type : `${type}, ${unit}`,
            escapeHtml(values.length === 0 ? description : `${description} (${values.join(', ')})`),
          ]),
        ),
      ].join('\n'),
    );
  const rules = compatibilityRules().map(({ fields, experiences, dimensions, unless, reason }) => [
    codes(fields),
    [
      experiences.length === 1 ? `in ${experiences.join()}` : '',
      dimensions.length > 0 ? `by ${codes(dimensions)}` : '',
      unless.length > 0 ? `unless by ${codes(unless)}` : '',
    ]
      .filter((text) => text !== '')
      .join('; '),
    escapeHtml(reason),
  ]);
  return [
    paragraph('The same catalogue as data: `GET /metadata/fields`.'),
    '<h2>Metrics</h2>',
    ...groups(describedMetrics()),
    '<h2>Dimensions</h2>',
    ...groups(describedDimensions()),
    '<h2>Filter operators</h2>',
    table(
      ['Name', 'Values', 'Selects'],
      describedOperators().map(({ name, values, description }) => [
        `<code>${name}</code>`,
        values,
        escapeHtml(description),
      ]),
    ),
    '<h2>Fields without values</h2>',
    paragraph(
      'Every field can be requested with every other in every experience. Some have no value then; for a metric, the report has a warning.',
    ),
    table(['Fields', 'When', 'Why'], rules),
  ].join('\n');
}

function writeProblems(): string {
  return [
    paragraph(
      'Errors are `application/problem+json` (RFC 9457). Handle them by `code`; `detail` and `errors` say what is wrong with the request.',
    ),
    table(
      ['Status', 'Code', 'Meaning', 'What to do'],
      CODES.map((code) => [
        String(PROBLEMS[code].status),
        `<a href="${problemKind(code).type}"><code>${code}</code></a>`,
        escapeHtml(PROBLEMS[code].title),
        withCode(PROBLEM_ADVICE[code]),
      ]),
    ),
    '<h2 id="fields">Invalid fields</h2>',
    paragraph(
      `The member \`errors\` lists the invalid fields of a request, up to ${MAX_LISTED_FIELDS}, each with one of these codes.`,
    ),
    table(
      ['Code', 'Meaning'],
      Object.entries(FIELD_CODES).map(([code, meaning]) => [`<code>${code}</code>`, escapeHtml(meaning)]),
    ),
  ].join('\n');
}

function writeProblem(code: ProblemCode, brand: Brand): string {
  const { status } = PROBLEMS[code];
  return [
    `<p>Status ${status}, code <code>${code}</code></p>`,
    '<h2>What to do</h2>',
    paragraph(PROBLEM_ADVICE[code]),
    paragraph(
      `The response says more: \`detail\` describes this occurrence, and \`errors\` lists the invalid fields, up to ${MAX_LISTED_FIELDS}, with what is allowed. Quote \`requestId\` in questions to the operator.`,
    ),
    `<p>${writeContact(brand)}</p>`,
    `<p><a href="${BASE_PATH}/problems">All problems</a></p>`,
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: 'th' | 'td', row: readonly string[]) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
  return `<div class="table"><table>\n<thead><tr>${cells('th', head)}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

const paragraph = (text: string): string => `<p>${withCode(text)}</p>`;
const codes = (names: readonly string[]): string => names.map((name) => `<code>${name}</code>`).join(' ');
const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Escapes the text, and shows what is between grave accents as code. */
function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
