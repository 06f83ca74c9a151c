import { join } from 'node:path';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { readEnv } from '../shared/lib/env.ts';
import { servePages } from '../shared/web/pages/page-handler.ts';
import { openPages } from '../shared/web/pages/pages.ts';
import { type Brand, parseDemoKeys } from '../shared/web/pages/write-html.ts';

/** GET /, /problems, /explorer, /docs, /openapi.json and /openapi-3.0.json, and the files and pages below these paths, for everybody. */
export function create(): ApiHandler {
  const { TIME_ZONE } = readEnv(['TIME_ZONE']);
  /** Set by the local stage only: the last day of the examples' periods, and the demo keys that work, '' if there are none. */
  const { EXAMPLE_END, DEMO_KEYS } = process.env;
  const brand: Brand = JSON.parse(process.env.BRAND ?? '{}');
  const folder = join(import.meta.dirname, 'pages');
  return servePages(
    openPages({ folder, timeZone: TIME_ZONE, brand, demoKeys: parseDemoKeys(DEMO_KEYS), exampleEnd: EXAMPLE_END }),
  );
}

export const handler = create();
