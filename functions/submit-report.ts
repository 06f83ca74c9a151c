import {
  dependsOnData,
  resolveCompared,
  resolvePeriod,
  submitFileReportInput,
  submitReportInput,
} from '../shared/contract/report/report-request.ts';
import { readReportSettings } from '../shared/contract/report/report-settings.ts';
import { REPORT_URL } from '../shared/contract/report/report-url.ts';
import { type ApiHandler, type EndpointRequest, endpoint } from '../shared/http/endpoint.ts';
import type { Input } from '../shared/http/parse-input.ts';
import { reportResponse, tooManyRows } from '../shared/http/write-report.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { resolveReportScope } from '../shared/identity/report-scope.ts';
import { todayIn } from '../shared/lib/calendar.ts';
import { type Clock, systemClock } from '../shared/lib/clock.ts';
import { logReportStart } from '../shared/lib/log.ts';
import { readLastCompleteDay } from '../shared/report/plan/completeness.ts';
import type { CostEstimate, ReportInput } from '../shared/report/query/report-input.ts';
import { computeReport, estimateReport, pageOf } from '../shared/report/run-report.ts';
import { openCacheBudget } from '../shared/store/commit/commit-cache.ts';
import type { CommitState } from '../shared/store/commit/commits.ts';
import { checkDataSettings } from '../shared/store/data-settings.ts';
import { AdvertiserCache } from '../shared/store/listings/account-advertisers.ts';
import { openSegmentSource, SourceCaches } from '../shared/store/segment-source.ts';

/** POST and GET /report/{experience_name}: a report over the caller's advertisers. */
export function create(platform: Platform, clock: Clock = systemClock): ApiHandler {
  const budget = openCacheBudget();
  const instance: ReportInstance = {
    platform,
    clock,
    settings: readReportSettings(),
    caches: new SourceCaches(budget),
    advertisers: new AdvertiserCache(budget),
    hasCheckedSettings: false,
  };
  return endpoint(platform, {
    scope: 'report',
    formats: ['json', 'csv', 'arrow'],
    input: submitReportInput,
    fileInput: submitFileReportInput,
    url: REPORT_URL,
    handle: async (request) => {
      const report = await openReport(request, instance);
      const result = request.input.body.validateOnly === true ? await estimate(report) : await run(report);
      return reportResponse(result, request.context);
    },
  });
}

export const handler = /* @__PURE__ */ create(/* @__PURE__ */ openPlatform());

/** What reports of one instance share. */
interface ReportInstance {
  readonly platform: Platform;
  readonly clock: Clock;
  readonly settings: ReturnType<typeof readReportSettings>;
  readonly caches: SourceCaches;
  readonly advertisers: AdvertiserCache;
  hasCheckedSettings: boolean;
}

type ReportRequest = EndpointRequest<Input<typeof submitReportInput>>;

/** A report with all that it depends on. */
interface OpenReport extends Pick<ReportRequest, 'context'> {
  readonly input: ReportInput;
  readonly period: Pick<ReportRequest['input']['body'], 'startDate' | 'endDate'>;
  readonly userId: string;
  readonly caches: SourceCaches;
}

/** Finds out which days, advertisers and commit the report is of. */
async function openReport(
  { caller: { userId }, input, table, context }: ReportRequest,
  instance: ReportInstance,
): Promise<OpenReport> {
  const { platform, settings, caches, advertisers, clock } = instance;
  const { advertiserIds, validateOnly, ...request } = input.body;
  const experience = input.path.experience_name;
  const ofExperience = settings[experience];
  const state = await platform.commits.current(table, context.startedAt);
  const caller = await context.refreshCaller(state);
  const [scope] = await Promise.all([
    resolveReportScope(table, state, caller, advertiserIds, advertisers),
    checkSettings(instance, state),
  ]);
  const source = openSegmentSource(table, state, caches);
  const { timezone, weekStartsOn, hasTextIds } = ofExperience;
  const today = todayIn(timezone, new Date(clock()));
  const latest = dependsOnData(request)
    ? await readLastCompleteDay(source, experience, scope, ofExperience, today)
    : undefined;
  const calendar = { today, weekStartsOn, latest };
  const period = resolvePeriod(request, calendar);
  const query = { experience, ...request, ...period, hasTextIds, compare: resolveCompared(request, period, calendar) };
  const { deadline } = context;
  const of = { query, scope, settings: ofExperience, source };
  return { input: { ...of, today, deadline }, period, context, userId, caches };
}

/** Once per instance. @throws Error naming a setting that is not that of the loaded data */
async function checkSettings(instance: ReportInstance, state: CommitState): Promise<void> {
  if (instance.hasCheckedSettings || state.commit === 0) return;
  const { currency, timezone: timeZone, hasTextIds } = instance.settings.all;
  const productIds = hasTextIds ? 'text' : 'upc';
  await checkDataSettings(instance.platform.table, state, { currency, timeZone, productIds });
  instance.hasCheckedSettings = true;
}

/** Read units of key, user, commit and settings; the advertisers of each account take one more. */
const RIGHTS_UNITS = 4;

/** @returns the report without rows, and what it would cost a new instance: what others have read must not show */
async function estimate({ input, period, context }: OpenReport) {
  const onStart = ({ warmSeconds }: CostEstimate) => context.expectMs(warmSeconds * 1_000); // what planning takes
  const { report, cost, ifEmpty } = await estimateReport({ ...input, onStart });
  const rounded = ({ seconds }: CostEstimate) => Math.ceil(seconds * 1_000) / 1_000;
  const estimate = {
    seconds: rounded(cost),
    readUnits: RIGHTS_UNITS + input.scope.accountIds.size + cost.readUnits,
    rows: cost.rows,
    ...(ifEmpty && { ifEmpty: { seconds: rounded(ifEmpty), readUnits: ifEmpty.readUnits } }),
  };
  const page = { ...input.query.pagination, hasMore: false };
  return { ...report, meta: { page, period, ...report.meta, estimate, requestId: context.requestId } };
}

async function run({ input, period, context, userId, caches }: OpenReport) {
  const { requestId, lambdaRequestId, meter } = context;
  let endReport = () => {};
  const computed = await computeReport({
    ...input,
    onStart: async ({ rows, bytes, seconds, warmSeconds, groups }) => {
      await context.expectMs(warmSeconds * 1_000);
      endReport(); // a call with a refined estimate replaces the one before
      const cost = { rows, bytes, seconds, groups };
      endReport = logReportStart({ requestId, lambdaRequestId, userId, ...cost });
    },
  }).finally(() => endReport());
  meter.rowsScanned = computed.scannedRows;
  const report = pageOf(computed, input);
  const { pagination } = input.query;
  meter.cache = caches.facts.report();
  const page = { ...pagination, hasMore: pagination.offset + pagination.size < report.totalCount };
  if (context.isWhole === true && page.hasMore) throw tooManyRows(report, context.representation);
  return { ...report, meta: { page, period, ...report.meta, requestId } };
}
