import * as z from 'zod/mini';
import { EXPERIENCES, FACT_TABLES } from '../../catalog/tables.ts';
import { described } from '../described.ts';
import { integerParameter } from '../parameters.ts';

const COPIED_TABLES = FACT_TABLES.filter((table) => table !== 'market');
const day = z.iso.date();
const time = z.iso.datetime();

/** Where a copy stands: all changes up to `at` are copied; or, within a list that ends at `until`, those of this time up to `place`. Times in milliseconds. */
export interface Since {
  /** Whose changes the token counts; absent: a time that the client chose. */
  readonly network?: string | undefined;
  readonly at: number;
  readonly until?: number | undefined;
  readonly place?: string | undefined;
}

const TOKEN = /^(?<network>[\w-]{8})\.(?<at>\d{1,15})(\.(?<until>\d{1,15})\.(?<place>[\w/-]{1,80}))?$/;

const TIME = z.regexes.datetime({ offset: true });
const TOKEN_OR_TIME = new RegExp(`${TIME.source}|${TOKEN.source.replaceAll(/\?<\w+>/g, '')}`);

/** @returns the token that `parseSince` parses */
export const formatToken = ({ network, at, until, place }: Since): string =>
  [network, at, ...(place === undefined ? [] : [until, place])].join('.');

/** @param text a token, or a time: changes at that time are not copied yet @returns undefined if it is neither */
export function parseSince(text: string): Since | undefined {
  if (TIME.test(text)) return { at: Math.ceil(Date.parse(text)) - 1 };
  const { network, at, until, place } = TOKEN.exec(text)?.groups ?? {};
  if (at === undefined) return undefined;
  return { network, at: Number(at), ...(until !== undefined && { until: Number(until), place }) };
}

const SINCE = 'a `next` of this endpoint, or a time such as 2026-11-30T02:00:00Z';

const Change = z
  .strictObject({
    advertiserId: z.int().check(described('Id of the advertiser.', 2001)),
    experience: z.enum(EXPERIENCES).check(described('Experience of the facts.')),
    table: z.enum(COPIED_TABLES).check(described('Fact table, as `meta.data` of reports names it.', 'delivery')),
    from: day.check(described('First of the changed days.', '2026-02-26')),
    to: day.check(described('Last of the changed days, included.', '2026-02-28')),
    changedAt: time.check(described('Time of the load.', '2026-03-01T06:12:09.417Z')),
    kind: z
      .enum(['loaded', 'restated', 'emptied'])
      .check(
        described('`loaded`: the days had no rows before. `restated`: other rows. `emptied`: they have none now.'),
      ),
  })
  .check(z.meta({ id: 'Change', description: 'Consecutive days of facts that one load was the last to change.' }));

const ListingChange = z
  .strictObject({
    name: z
      .string()
      .check(described('What has changed: a listing, or `creatives`, `insertion_orders` or `products`.', 'campaigns')),
    changedAt: time.check(described('Time of the last load that changed it.', '2026-03-01T06:12:09.417Z')),
  })
  .check(z.meta({ id: 'ListingChange', description: 'A listing whose rows have changed.' }));

const ChangesMeta = z
  .strictObject({
    next: z
      .string()
      .check(
        described('Token to go on from: send it as `since`, now if there are more pages, else when you copy again.'),
      ),
    advertiserIds: z
      .array(z.int())
      .check(
        described(
          'All advertisers that the key may see now, ascending. Copy new ones whole and delete missing ones before you apply changes.',
          [2001, 2002],
        ),
      ),
    page: z.strictObject({
      size: z.int().check(described('Requested number of changes.', 1000)),
      hasMore: z.boolean().check(described('Whether there are more changes; `next` continues them.')),
    }),
  })
  .check(z.meta({ id: 'ChangesMeta', description: 'Where to go on, and what the key may see.' }));

export const listChanges = {
  input: {
    query: z.object({
      since: z.optional(
        z
          .string(SINCE)
          .check(
            z.regex(TOKEN_OR_TIME, SINCE),
            described(
              `From where on: ${SINCE}, which includes loads at that time. Without it there are no changes, only \`next\`: take that before the first copy.`,
              '2026-11-30T02:00:00Z',
            ),
          ),
      ),
      size: integerParameter({
        ...{ minimum: 1, maximum: 10_000, fallback: 1_000 },
        description: 'Maximum number of changes on the page.',
        examples: [1000],
      }),
    }),
  },
  tag: 'Metadata',
  summary: 'List what has changed',
  description:
    'Returns the days of facts, and the listings, that loads have changed for your advertisers since a token or a time, so that a copy reads only those again. ' +
    'Each change comes at least once, the newest of a day; a day whose rows are equal after a load is none. `next` and the changes move only with what you may see. ' +
    'Changes are kept for 400 days: for an older token the response is the problem `CHANGES_GONE`, with the token to go on from after a whole copy. Figures of the market ' +
    '(`share_of_voice`), pacing, `freshness` and accounts are not listed: request them when you need them.',
  response: z
    .strictObject({
      data: z.array(Change).check(described('The changed days, ascending by time.')),
      listings: z.array(ListingChange).check(described('The changed listings, on the first page.')),
      meta: ChangesMeta,
    })
    .check(z.meta({ id: 'ChangesResponse', description: 'What has changed.' })),
  paged: false,
  problems: ['INVALID_REQUEST', 'CHANGES_GONE'],
} as const;
