/** Two of the endpoints written with Hono, with the same schemas and responses. */
import { type Context, Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { validator } from 'hono/validator';
import * as z from 'zod/mini';
import type { ReportRequest, submitReportInput } from '../../../shared/contract/report/report-request.ts';
import type { listContactsInput } from '../../../shared/contract/resources/contact.ts';
import { METADATA_PAGING, pageMeta } from '../../../shared/contract/resources/paging.ts';
import { KEY_HEADER, KEY_QUERY } from '../../../shared/http/api-key.ts';
import type { Caller, Identity } from '../../../shared/identity/identity.ts';
import type { BenchHandler } from './bench-event.ts';

/** The schemas and responses that both sides use. */
export interface ChainWork {
  readonly contacts: {
    readonly input: typeof listContactsInput;
    find(caller: Caller, accountId: number): { items: readonly object[]; total: number };
  };
  readonly report: {
    readonly input: typeof submitReportInput;
    run(experience: string, request: ReportRequest): object;
  };
}

interface Env {
  readonly Variables: { caller: Caller };
}

const FIXED_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function honoEndpoints(identity: Identity, { contacts, report }: ChainWork): BenchHandler {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const key = c.req.header(KEY_HEADER) ?? c.req.query(KEY_QUERY);
    if (key === undefined) return c.json({ code: 'KEY_MISSING' }, 401, FIXED_HEADERS);
    const found = await identity.findCaller(key, { readUnits: 0, writeUnits: 0, calls: 0 });
    if ('reason' in found) return c.json({ code: 'KEY_INVALID' }, 401, FIXED_HEADERS);
    c.set('caller', found.caller);
    await next();
  });
  app.get('/metadata/contacts', checked('query', contacts.input.query), (c) => {
    const { account_id, offset, size } = c.req.valid('query');
    if (!c.get('caller').accountIds.has(account_id)) return c.json({ code: 'ACCOUNT_FORBIDDEN' }, 403, FIXED_HEADERS);
    const { items, total } = contacts.find(c.get('caller'), account_id);
    const meta = pageMeta({ offset, size }, total);
    const next = `/v2/metadata/contacts?account_id=${account_id}&${METADATA_PAGING.offset}=${offset + size}&size=${size}`;
    const link: Record<string, string> = meta.page.hasMore ? { Link: `<${next}>; rel="next"` } : {};
    return c.json({ data: items, meta }, 200, { ...FIXED_HEADERS, ...link });
  });
  app.post('/report/:experience_name', checked('param', report.input.path), checked('json', report.input.body), (c) =>
    c.json(report.run(c.req.valid('param').experience_name, c.req.valid('json')), 200, FIXED_HEADERS),
  );
  // The adapter's event type has only the members that it reads.
  return handle(app) as unknown as BenchHandler;
}

function checked<Target extends 'query' | 'param' | 'json', Schema extends z.ZodMiniType>(
  target: Target,
  schema: Schema,
) {
  return validator(target, (value: unknown, c: Context) => {
    const parsed = z.safeParse(schema, value);
    if (!parsed.success) return c.json({ code: 'INVALID_REQUEST', errors: parsed.error.issues }, 422, FIXED_HEADERS);
    return parsed.data;
  });
}
