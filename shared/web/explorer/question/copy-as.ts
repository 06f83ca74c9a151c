import type { ReportRequest } from './question.ts';

/** A language or format of a request. The text has no key; code reads it from ENDCAP_KEY. */
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

const PAGE = { offset: 0, size: 1000 };

export const COPY_FORMATS: readonly CopyFormat[] = [
  { id: 'json', title: 'JSON body', write: writeJson },
  { id: 'curl', title: 'curl', write: writeCurl },
  { id: 'python', title: 'Python', write: writePython },
  { id: 'typescript', title: 'TypeScript', write: writeTypeScript },
];

function writeJson({ report }: CopiedRequest): string {
  return JSON.stringify({ ...report, pagination: PAGE }, undefined, 2);
}

function writeCurl(request: CopiedRequest): string {
  const body = writeJson(request).replaceAll("'", "'\\''");
  return [
    `curl '${request.base}/report/${request.experience}' \\`,
    '  -H "Ocp-Apim-Subscription-Key: $ENDCAP_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body}'`,
  ].join('\n');
}

/** JSON is valid Python, except for true, false and null, which a report request never contains. */
function writePython(request: CopiedRequest): string {
  return [
    'import os',
    '',
    'import pandas as pd',
    'import requests',
    '',
    'response = requests.post(',
    `    "${request.base}/report/${request.experience}",`,
    '    headers={"Ocp-Apim-Subscription-Key": os.environ["ENDCAP_KEY"]},',
    `    json=${writeJson(request).replaceAll('\n', '\n    ')},`,
    ')',
    'response.raise_for_status()',
    // with columns such as compared.cost
    `report = pd.${request.report.compare === undefined ? 'DataFrame' : 'json_normalize'}(response.json()["data"])`,
    'print(report)',
  ].join('\n');
}

function writeTypeScript({ base, experience, report }: CopiedRequest): string {
  const toLiteral = (value: object) => JSON.stringify(value, undefined, 2).replace(/^( *)"(\w+)":/gm, '$1$2:');
  return [
    "import { createClient } from 'endcap/client';",
    '',
    `const client = createClient({ url: '${base}', key: process.env.ENDCAP_KEY ?? '' });`,
    `const { data, totals } = await client.report('${experience}', ${toLiteral(report)}, ${toLiteral(PAGE)});`,
    'console.table(data);',
    'console.log(totals);',
  ].join('\n');
}
