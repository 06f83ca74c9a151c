import { submitReportInput } from '../shared/contract/report-request.ts';
import { readReportSettings } from '../shared/contract/report-settings.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { reportAnswer } from '../shared/http/report-answer.ts';
import { openPlatform, tableOf } from '../shared/identity/platform.ts';
import { resolveScope } from '../shared/identity/report-scope.ts';
import { runReport } from '../shared/report/run-report.ts';
import { openSegmentSource } from '../shared/store/segment-source.ts';

const platform = openPlatform();
const settings = readReportSettings();

/** POST /report/{experience_name}: a report over the caller's advertisers. */
export const handler = endpoint(platform.identity, {
  input: submitReportInput,
  handle: async ({ caller, input, context }) => {
    const { experience_name: experience } = input.path;
    const { advertiserIds, ...request } = input.body;
    const table = tableOf(platform, context);
    const state = await platform.commits.current(table);
    const report = await runReport({
      query: { experience, ...request },
      scope: await resolveScope(table, state, { caller, refreshCaller: context.refreshCaller }, advertiserIds),
      settings: settings[experience],
      source: openSegmentSource(table, state),
      signal: context.signal,
    });
    const meta = { ...report.meta, dataVersion: String(state.commit), requestId: context.requestId };
    return reportAnswer({ ...report, meta });
  },
});
