import { join } from 'node:path';
import { readEnv } from '../shared/lib/env.ts';
import { servePages } from '../shared/web/pages/page-handler.ts';
import { openPages } from '../shared/web/pages/pages.ts';
import { parseDemoKeys } from '../shared/web/pages/write-html.ts';

const { TIME_ZONE } = readEnv(['TIME_ZONE']);
/** Set by the local stage only: the last day of the examples' periods, and the demo keys that work, '' if there are none. */
const { EXAMPLE_END, DEMO_KEYS } = process.env;

/** GET /, /problems, /explorer, /docs, /openapi.json and /openapi-3.0.json, and the files and pages below these paths, for everybody. */
export const handler = servePages(
  openPages({
    folder: join(import.meta.dirname, 'pages'),
    timeZone: TIME_ZONE,
    demoKeys: parseDemoKeys(DEMO_KEYS),
    exampleEnd: EXAMPLE_END,
  }),
);
