import { EndcapError, type FieldProblem } from '../../../../shared/web/client/client.ts';
import { isLocal } from '../../environment.ts';
import type { Service } from './open-client.ts';

/** How a report was asked for, so that errors are about what the caller wrote instead of members of the request's body. */
export interface Wording {
  /** The caller's words for members of the body, such as `--from` for `startDate`. */
  readonly members: Readonly<Record<string, string>>;
  /** The filters as they were written, in the order of the body. */
  readonly filters: readonly string[];
  readonly advertiserIds: readonly number[];
  /** How to find the ids of the advertisers that the key may see. */
  readonly advertisersAdvice: string;
}

/** @returns the error of a request as a person can act on it: the invalid fields of a report, or how to reach a service */
export function explainError(error: unknown, { url }: Service, wording?: Wording): Error {
  if (error instanceof EndcapError) {
    const { code, message, status, fields, requestId } = error;
    const id = requestId === undefined ? '' : ` (request ${requestId})`;
    const lines = fields.map(
      (problem) => `\n  ${describePlace(problem, wording)}: ${describeDetail(problem, wording)}`,
    );
    const advice = adviceFor(status, code, wording);
    // the lines say all that the message of a problem with fields says
    const text =
      fields.length > 0
        ? `${code}${id}${lines.join('')}${advice && `\n${advice}`}`
        : `${code}: ${message}${advice && ` ${advice}`}${id}`;
    return new Error(text, { cause: error });
  }
  const isUnreachable = error instanceof TypeError && error.message === 'fetch failed';
  if (isUnreachable) {
    const reason = error.cause instanceof Error && error.cause.message !== '' ? ` (${error.cause.message})` : '';
    const advice = isLocal(url) ? '`npm start` starts a service, --url names another' : 'is the URL right?';
    return new Error(`${url} cannot be reached${reason}: ${advice}`, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}

function adviceFor(status: number, code: EndcapError['code'], wording: Wording | undefined): string {
  if (status === 401) return 'Name a key with --key or ENDCAP_KEY.';
  return code === 'ADVERTISER_FORBIDDEN' ? (wording?.advertisersAdvice ?? '') : '';
}

/** @returns the place of the problem in the caller's words: `--filter 'cost>>5'` for `/filters/0/values/0` */
function describePlace({ pointer }: FieldProblem, wording: Wording | undefined): string {
  const place = pointer.replace(/^\//, '');
  const [member = '', index = ''] = place.split('/');
  const name = wording?.members[member];
  if (wording === undefined || name === undefined) return place;
  const values = { filters: wording.filters, advertiserIds: wording.advertiserIds };
  const value = member === 'filters' || member === 'advertiserIds' ? values[member][Number(index)] : undefined;
  return value === undefined || index === '' ? name : `${name} ${value}`;
}

/** For NOT_YOURS, the service's detail names the request that lists ids; users of a command or a tool need `advertisersAdvice` instead. */
function describeDetail({ code, detail }: FieldProblem, wording: Wording | undefined): string {
  return wording !== undefined && code === 'NOT_YOURS' ? 'is not one of your advertisers' : detail;
}
