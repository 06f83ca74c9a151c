import { dataChanged, EndcapError, toEndcapError } from './endcap-error.ts';
import { type Fetch, fetchWithRetries, type RetryOptions } from './fetch-with-retries.ts';
import { createListing, type Listing, type Page } from './listing.ts';
import { readFitting } from './read-fitting.ts';
import type { Compare, Dimension, Experience, Metric, PageOptions, Report, ReportQuery, Row } from './report-types.ts';
import type * as schema from './schema.ts';

export * from './exports.ts';

export interface ClientOptions extends RetryOptions {
  /** Base URL, which must end with the version: `http://localhost:3000/v2`. */
  readonly url: string;
  readonly key: string;
  /** Replaces the platform's `fetch`, for example to add a proxy. */
  readonly fetch?: Fetch;
}

export interface CallOptions {
  /** Aborts the call, including its retries. */
  readonly signal?: AbortSignal;
}

/** Formats of a report besides JSON; `spreadsheet` is CSV for Excel, with a byte order mark and an apostrophe before texts that it would calculate. */
export type FileFormat = 'csv' | 'spreadsheet' | 'arrow';

const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  spreadsheet: 'text/csv;header=bom;formulas=escaped',
  arrow: 'application/vnd.apache.arrow.stream',
};

/** Restricts a listing of an account to one advertiser, one status, or both. */
interface ListingFilter<Status> {
  readonly advertiserId?: number;
  readonly status?: Status;
}

type MaybeCompare = Compare | undefined;

/** What a method sends; members that are undefined are left out of the query. */
interface Sent {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly accept?: string;
}

/**
 * @returns a client for the API at `url` with the rights of `key`
 * @throws TypeError if the URL does not end with `/v2` or `/v2/`
 */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

/** A call that fails rejects with an `EndcapError`, or with an error of `fetch` (see `EndcapError`). Requests that fail for a passing reason are repeated. */
export class Client {
  readonly #url: string;
  readonly #key: string;
  readonly #fetch: Fetch;

  constructor({ url, key, fetch = (request) => globalThis.fetch(request), ...retry }: ClientOptions) {
    if (!/\/v2\/?$/.test(url)) throw new TypeError(`the URL must end with /v2: ${url}`);
    this.#url = url.replace(/\/$/, '');
    this.#key = key;
    this.#fetch = fetchWithRetries(fetch, retry);
  }

  accounts(options: CallOptions = {}): Listing<schema.Account> {
    return this.#list('/metadata/accounts', {}, options);
  }

  advertisers(accountId: number, options: CallOptions = {}): Listing<schema.Advertiser> {
    return this.#list('/metadata/advertisers', { account_id: accountId }, options);
  }

  contacts(accountId: number, options: CallOptions = {}): Listing<schema.Contact> {
    return this.#list('/metadata/contacts', { account_id: accountId }, options);
  }

  addresses(accountId: number, options: CallOptions = {}): Listing<schema.Address> {
    return this.#list('/metadata/addresses', { account_id: accountId }, options);
  }

  placements(options: CallOptions = {}): Listing<schema.Placement> {
    return this.#list('/metadata/placements', {}, options);
  }

  campaigns(
    accountId: number,
    { advertiserId, status, ...options }: ListingFilter<schema.Campaign['status']> & CallOptions = {},
  ): Listing<schema.Campaign> {
    return this.#list('/metadata/campaigns', { account_id: accountId, advertiser_id: advertiserId, status }, options);
  }

  adGroups(
    accountId: number,
    { advertiserId, status, ...options }: ListingFilter<schema.AdGroup['status']> & CallOptions = {},
  ): Listing<schema.AdGroup> {
    return this.#list('/metadata/ad_groups', { account_id: accountId, advertiser_id: advertiserId, status }, options);
  }

  /** @returns the catalogue: metrics and dimensions with their meanings, filter operators, and which combinations of fields have no values */
  fields(options: CallOptions = {}): Promise<schema.FieldCatalogue> {
    return this.#read('/metadata/fields', {}, options);
  }

  /** @returns a page of what has changed since a token or a time, and in `meta.next` where to go on; without `since` only that */
  changes({
    since,
    size,
    ...options
  }: { readonly since?: string; readonly size?: number } & CallOptions = {}): Promise<schema.Changes> {
    return this.#read('/metadata/changes', { query: { since, size } }, options);
  }

  /** The products of the ad group; `available` says which can currently be advertised. Pages have up to 100 items; `size` has no effect. */
  availableProducts(adGroupId: number, options: CallOptions = {}): Listing<schema.Product> {
    const path = `/ad_groups/${adGroupId}/available_products`;
    return createListing((offset) => this.#read(path, { query: { item_offset: offset } }, options));
  }

  /** @returns one page of a report. Its rows have the types of the requested fields */
  report<const M extends Metric = never, const D extends Dimension = never, const C extends MaybeCompare = undefined>(
    experience: Experience,
    query: ReportQuery<M, D, C>,
    { offset = 0, size = 100, ...options }: PageOptions & CallOptions = {},
  ): Promise<Report<M, D, C>> {
    return this.#read(`/report/${experience}`, { body: toRequest(query, offset, size) }, options);
  }

  /** @returns the response with one page of a report as a file; its headers have what JSON has in `totals` and `meta` */
  async reportFile<
    const M extends Metric = never,
    const D extends Dimension = never,
    const C extends MaybeCompare = undefined,
  >(
    experience: Experience,
    query: ReportQuery<M, D, C>,
    format: FileFormat,
    { offset = 0, size = 10_000, ...options }: PageOptions & CallOptions = {},
  ): Promise<Response> {
    return this.#send(
      `/report/${experience}`,
      { body: toRequest(query, offset, size), accept: MEDIA_TYPES[format] },
      options,
    );
  }

  /**
   * Iterates over the rows of a report, reading pages as they are needed; a page that would be too large is read in smaller ones.
   * @param options `size` is the size of the pages, 10,000 by default
   * @throws EndcapError DATA_CHANGED if data is loaded while the pages are read: their rows would not fit together
   */
  async *rows<
    const M extends Metric = never,
    const D extends Dimension = never,
    const C extends MaybeCompare = undefined,
  >(
    experience: Experience,
    query: ReportQuery<M, D, C>,
    options: PageOptions & CallOptions = {},
  ): AsyncGenerator<Row<M, D, C>, void> {
    for await (const { data } of this.pages(experience, query, options)) yield* data;
  }

  /** Iterates over the pages of a report; otherwise like `rows`. There is at least one page, and the last may be empty. */
  async *pages<
    const M extends Metric = never,
    const D extends Dimension = never,
    const C extends MaybeCompare = undefined,
  >(
    experience: Experience,
    query: ReportQuery<M, D, C>,
    options: PageOptions & CallOptions = {},
  ): AsyncGenerator<Report<M, D, C>, void> {
    let { offset = 0, size = 10_000 } = options;
    let version: string | undefined;
    let dated: ReportQuery<M, D, MaybeCompare> = query;
    for (;;) {
      const read = (fitting: number) =>
        this.#read<Report<M, D, C>>(`/report/${experience}`, { body: toRequest(dated, offset, fitting) }, options);
      const [report, fitting] = await readFitting(read, size);
      size = fitting;
      const { dataVersion, period, compared, requestId } = report.meta;
      const compare = compared && { startDate: compared.startDate, endDate: compared.endDate };
      dated = { ...query, ...period, ...(compare && { compare }) }; // relative dates have other days after midnight
      version ??= dataVersion;
      if (version !== dataVersion) throw dataChanged(requestId);
      yield report;
      offset += report.data.length;
      if (report.data.length === 0 || offset >= report.totalCount) return;
    }
  }

  /** @returns a JWT that identifies the caller to other services */
  jwt(options: CallOptions = {}): Promise<schema.TokenResponse> {
    return this.#read('/jwt', {}, options);
  }

  /** @returns the claims of a JWT that would be issued now: who the caller is */
  claims(options: CallOptions = {}): Promise<schema.TokenClaims> {
    return this.#read('/jwt/claims', {}, options);
  }

  #list<Item>(path: string, query: NonNullable<Sent['query']>, options: CallOptions): Listing<Item> {
    return createListing<Item>((offset, size) =>
      this.#read<Page<Item>>(path, { query: { ...query, offset, size } }, options),
    );
  }

  /** @returns the JSON of the response, which has the type that the contract states */
  async #read<Result>(path: string, sent: Sent, options: CallOptions): Promise<Result> {
    const response = await this.#send(path, sent, options);
    return response.json().catch((cause: unknown) => {
      if (!(cause instanceof SyntaxError)) throw cause;
      const message = 'The response is not JSON: check the URL.';
      throw new EndcapError('UNEXPECTED_RESPONSE', message, { status: response.status, cause });
    });
  }

  /** @throws EndcapError unless the response is successful */
  async #send(
    path: string,
    { query = {}, body, accept = 'application/json' }: Sent,
    { signal }: CallOptions,
  ): Promise<Response> {
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, `${value}`]],
    );
    const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
    const headers = new Headers({ Accept: accept, 'Ocp-Apim-Subscription-Key': this.#key });
    const init: RequestInit = { headers, redirect: 'error' }; // fetch would send the key's header to the host of a redirect
    if (signal !== undefined) init.signal = signal;
    if (body !== undefined) {
      headers.set('Content-Type', 'application/json');
      Object.assign(init, { method: 'POST', body: JSON.stringify(body) });
    }
    const response = await this.#fetch(new Request(`${this.#url}${path}${search}`, init));
    if (!response.ok) throw toEndcapError(response, parse(await response.text()));
    return response;
  }
}

function toRequest<M extends Metric, D extends Dimension>(
  {
    metrics = [],
    dimensions = [],
    filters = [],
    sort = [],
    advertiserIds = [],
    ...others
  }: ReportQuery<M, D, MaybeCompare>,
  offset: number,
  size: number,
): object {
  return {
    ...others,
    metrics: [...metrics],
    dimensions: [...dimensions],
    filters: filters.map(({ field, operator, values = [] }) => ({ field, operator, values: values.map(String) })),
    sort: [...sort],
    advertiserIds: [...advertiserIds],
    pagination: { offset, size },
  };
}

/** @returns the parsed text, or the text itself if it is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
