import {
  resolveCompared,
  resolvePeriod,
  submitFileReportInput,
  submitReportInput,
} from '../shared/contract/report/report-request.ts';
import { readReportSettings } from '../shared/contract/report/report-settings.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { reportResponse } from '../shared/http/write-report.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { resolveReportScope } from '../shared/identity/report-scope.ts';
import { todayIn } from '../shared/lib/calendar.ts';
import { codeDigest } from '../shared/lib/code-digest.ts';
import { logError, logReportStart } from '../shared/lib/log.ts';
import { runCachedReport } from '../shared/report/cached-report.ts';
import type { CostEstimate } from '../shared/report/guard/estimate-cost.ts';
import type { ReportEnvelope, ReportValue } from '../shared/report/query/query.ts';
import { estimateReport } from '../shared/report/run-report.ts';
import { openResult } from '../shared/store/cache/results.ts';
import { AdvertiserCache } from '../shared/store/listings/account-advertisers.ts';
import { openSegmentSource, SourceCaches } from '../shared/store/segment-source.ts';

const platform = openPlatform();
const settings = readReportSettings();
const caches = new SourceCaches();
const advertisers = new AdvertiserCache();

/** POST /report/{experience_name}: a report over the caller's advertisers. */
export const handler = endpoint(platform, {
  scope: 'report',
  formats: ['json', 'csv', 'arrow'],
  input: submitReportInput,
  fileInput: submitFileReportInput,
  handle: async ({ caller: { userId }, input, table, context }) => {
    const { advertiserIds, pagination, validateOnly = false, ...request } = input.body;
    const experience = input.path.experience_name;
    const { timezone, weekStartsOn } = settings[experience];
    const calendar = { today: todayIn(timezone), weekStartsOn };
    const period = resolvePeriod(request, calendar);
    const query = { experience, ...request, ...period, compare: resolveCompared(request, period, calendar) };
    const state = await platform.commits.current(table, context.startedAt);
    const caller = await context.refreshCaller(state);
    const scope = await resolveReportScope(table, state, caller, advertiserIds, advertisers);
    const reportInput = {
      query: { ...query, pagination },
      scope,
      settings: settings[experience],
      source: openSegmentSource(table, state, caches),
      deadline: context.deadline,
    };
    const { offset, size } = pagination;
    const { requestId } = context;
    const describePage = (hasMore: boolean) => ({ page: { offset, size, hasMore }, period });
    if (validateOnly) {
      const onStart = ({ seconds }: CostEstimate) => context.expectMs(seconds * 1_000); // what planning takes
      const { report, cost } = await estimateReport({ ...reportInput, onStart });
      const { seconds, readUnits, rows } = cost;
      const estimate = {
        seconds: Math.ceil(seconds * 1_000) / 1_000,
        readUnits: Math.ceil(context.meter.readUnits + readUnits),
        rows,
      };
      return reportResponse(
        { ...report, meta: { ...describePage(false), ...report.meta, estimate, requestId } },
        context,
      );
    }
    // JSON.stringify would write the Set as {}
    const accountIds = [...scope.accountIds].sort((a, b) => a - b);
    const cacheKey = { query, scope: { ...scope, accountIds }, settings, commit: state.commit, code: codeDigest() };
    let endReport = () => {};
    const { report, scannedRows } = await runCachedReport({
      ...reportInput,
      results: openResult<ReportEnvelope, readonly ReportValue[]>(table, cacheKey),
      onCacheError: (error) => logError(context, error),
      onStart: async ({ rows, bytes, seconds, groups, memoryBytes }) => {
        const { lambdaRequestId } = context;
        await context.expectMs(seconds * 1_000);
        endReport(); // a call with a refined estimate replaces the one before
        const cost = { rows, bytes, seconds, groups, memoryBytes };
        endReport = logReportStart({ requestId, lambdaRequestId, userId, ...cost });
      },
    }).finally(() => endReport());
    context.meter.rowsScanned = scannedRows;
    const meta = { ...describePage(offset + size < report.totalCount), ...report.meta, requestId };
    return reportResponse({ ...report, meta }, context);
  },
});
