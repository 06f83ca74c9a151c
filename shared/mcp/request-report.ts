import { suggestNames } from '../catalog/describe/suggest.ts';
import { REPORT_EXPERIENCES } from '../catalog/tables.ts';
import { askIfMeant } from '../contract/field-problems.ts';
import { REPORT_URL } from '../contract/report/report-url.ts';
import { quoteText } from '../lib/quote-text.ts';
import type { Compare, Dimension, Metric, Report } from '../web/client/client.ts';
import { EndcapError, type FieldProblem } from '../web/client/endcap-error.ts';
import type { Texts } from './arguments.ts';
import type { CallApi } from './call-api.ts';

export type AnyReport = Report<Metric, Dimension, Compare | undefined>;

interface ReportCall {
  /** The arguments that the caller has given. */
  readonly given: Texts;
  /** The report in the grammar of its URL. */
  readonly sent: Texts;
  /** What its parameters are called in the tool, where that differs. */
  readonly names: Readonly<Record<string, string>>;
  readonly validateOnly?: unknown;
}

/**
 * Sends a report; its period is the last 28 complete days by default.
 * @returns the report, and the body that was sent
 * @throws Error that names each wrong argument with its value; EndcapError if the service rejects the report as a whole
 */
export async function requestReport(call: CallApi, { sent, validateOnly, ...of }: ReportCall) {
  const experience = readExperience(sent);
  const texts: Texts = { start: ['latest-27d'], end: ['latest'], ...sent };
  const { body, problems } = REPORT_URL.read((name) => texts[name] ?? [], 'json');
  if (problems.length > 0) throw explain(problems, { ...of, sent });
  try {
    const report = await call<AnyReport>(`/report/${experience}`, { ...body, validateOnly });
    return { experience, body, report };
  } catch (error) {
    if (!(error instanceof EndcapError) || error.fields.length === 0) throw error;
    throw explain(error.fields, { ...of, sent });
  }
}

function readExperience({ experience: [sent = ''] = [] }: Texts): string {
  if (REPORT_EXPERIENCES.some((name) => name === sent)) return sent;
  const suggestion = askIfMeant(suggestNames(sent, REPORT_EXPERIENCES));
  throw new Error(`experience ${quoteText(sent)}: Must be one of ${REPORT_EXPERIENCES.join(', ')}.${suggestion}`);
}

/** @returns the problems by argument and value; those of arguments that the caller has not given follow from others */
function explain(problems: readonly FieldProblem[], { given, sent, names }: ReportCall): Error {
  const lines = problems.map(({ pointer, detail }) => {
    const name = REPORT_URL.parameterOf(pointer);
    const argument = names[name] ?? name;
    const list = name === 'filter' ? sent.filter : sent[name]?.flatMap((text) => text.split(','));
    const [, index = list?.length === 1 ? 0 : -1] = /\/(\d+)/.exec(pointer) ?? [];
    const value = list?.[Number(index)]?.trim();
    const line = `${argument}${value === undefined ? '' : ` ${quoteText(value)}`}: ${detail}`;
    return { isGiven: given[argument] !== undefined, line };
  });
  const ofGiven = lines.filter(({ isGiven }) => isGiven);
  const shown = (ofGiven.length > 0 ? ofGiven : lines).map(({ line }) => line);
  const advice =
    'describe_fields has what GET /metadata/fields lists, list_access your advertisers; the default period is latest-27d to latest.';
  return new Error([...new Set(shown), advice].join('\n'));
}
