import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CUSTOM_FIELDS, FIELDS_FILE, hasCustomFields } from '../../shared/catalog/custom-fields.ts';
import { FUNCTION_ROUTES, PAGES } from '../config/routes.ts';
import { STAGE_NAME } from '../config/service.ts';
import { bundleHandlers, bundleProcess } from './bundle-handlers.ts';
import { bundlePages } from './bundle-pages.ts';

/** The handlers of all functions, as paths in `functions/`. */
export const HANDLERS: readonly string[] = [
  ...FUNCTION_ROUTES.map((route) => route.function),
  PAGES.function,
  'events/ingest-folder',
  'events/measure-freshness',
  'events/check-service',
];

/** Writes what the functions of the stack consist of, each into a folder of its name in `outdir`, with the declarations of custom fields; no setting changes it. */
export async function bundleService(outdir: string): Promise<void> {
  await Promise.all([
    bundleHandlers(HANDLERS, outdir),
    bundleProcess('processes/loader', join(outdir, 'ingest-folder/loader.mjs')),
    bundlePages(join(outdir, PAGES.function), `/${STAGE_NAME}`),
  ]);
  if (!hasCustomFields()) return;
  const folders = (await readdir(outdir, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of folders) await writeFile(join(outdir, name, FIELDS_FILE), JSON.stringify(CUSTOM_FIELDS));
}
