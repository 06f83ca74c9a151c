import { MAX_PAGE_SIZE } from '../../../contract/report/report-limits.ts';
import { writeReport } from '../../../contract/report/report-text.ts';
import type { ReportRequest } from './question.ts';

/** A language or format of a request. The text has no key: a URL has KEY in its place, and code reads it from ENDCAP_KEY. */
interface CopyFormat {
  readonly id: string;
  readonly title: string;
  readonly write: (request: CopiedRequest) => string;
}

export interface CopiedRequest {
  readonly base: string;
  readonly experience: string;
  readonly report: ReportRequest;
}

export const COPY_FORMATS: readonly CopyFormat[] = [
  { id: 'url', title: 'URL', write: writeUrl },
  { id: 'json', title: 'JSON body', write: ({ report }) => writeBody(report) },
  { id: 'curl', title: 'curl', write: writeCurl },
  { id: 'python', title: 'Python', write: writePython },
  { id: 'typescript', title: 'TypeScript', write: writeTypeScript },
];

/** Encoded, because sheets and shells read more than browsers into a URL. */
function writeUrl({ base, experience, report }: CopiedRequest): string {
  const query = writeReport({ ...report, experience });
  query.delete('experience');
  query.set('format', 'spreadsheet');
  query.set('subscription-key', 'KEY');
  return `${base}/report/${experience}?${query}`;
}

function writeBody(report: ReportRequest): string {
  return JSON.stringify({ ...report, pagination: { offset: 0, size: MAX_PAGE_SIZE } }, undefined, 2);
}

/** CSV, whose pages have up to 100,000 rows; only the first keeps its header line. */
function writeCurl({ base, experience, report }: CopiedRequest): string {
  const members = JSON.stringify(report, undefined, 2).slice(0, -2).replaceAll("'", "'\\''");
  const header = (name: string) => `tr -d '\\r' < headers.txt | awk 'tolower($1) == "${name}:" { print $2 }'`;
  return [
    '# writes all rows to report.csv; needs an sh',
    'offset=0',
    'while [ -n "$offset" ]; do',
    `  curl '${base}/report/${experience}' --silent --show-error --fail-with-body --dump-header headers.txt \\`,
    '    -H "Ocp-Apim-Subscription-Key: $ENDCAP_KEY" \\',
    "    -H 'Content-Type: application/json' \\",
    "    -H 'Accept: text/csv' \\",
    `    -d '${members},`,
    `  "pagination": { "offset": '"$offset"', "size": 100000 }`,
    "}' | tail -n +$((offset ? 2 : 1))",
    `  offset=$(${header('endcap-next-offset')})`,
    'done > report.csv',
    `echo "report.csv has the rows of $(${header('x-total-count')})"`,
  ].join('\n');
}

/** JSON is valid Python, except for true, false and null, which a report request never contains. */
function writePython({ base, experience, report }: CopiedRequest): string {
  return [
    'import os',
    '',
    'import pandas as pd',
    'import requests',
    '',
    `query = ${writeBody(report)}`,
    'rows, versions = [], set()',
    'while True:',
    '    response = requests.post(',
    `        "${base}/report/${experience}",`,
    '        headers={"Ocp-Apim-Subscription-Key": os.environ["ENDCAP_KEY"]},',
    '        json=query,',
    '    )',
    '    response.raise_for_status()',
    '    page = response.json()',
    '    rows += page["data"]',
    '    versions.add(page["meta"]["dataVersion"])',
    '    query["pagination"]["offset"] = len(rows)',
    '    query |= page["meta"]["period"]  # relative dates have other days after midnight',
    '    if not page["meta"]["page"]["hasMore"]:',
    '        break',
    'assert len(rows) == page["totalCount"] and len(versions) == 1, "data was loaded meanwhile: run this again"',
    // with columns such as compared.cost
    `report = pd.${report.compare === undefined ? 'DataFrame' : 'json_normalize'}(rows)`,
    'print(report)',
  ].join('\n');
}

/** The client checks that all pages are of the same data. */
function writeTypeScript({ base, experience, report }: CopiedRequest): string {
  const query = JSON.stringify(report, undefined, 2).replace(/^( *)"(\w+)":/gm, '$1$2:');
  return [
    "import { createClient } from 'endcap/client';",
    '',
    `const client = createClient({ url: '${base}', key: process.env.ENDCAP_KEY ?? '' });`,
    `const rows = await Array.fromAsync(client.rows('${experience}', ${query}));`,
    'console.table(rows);',
  ].join('\n');
}
