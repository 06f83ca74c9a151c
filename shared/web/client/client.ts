import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { dataChanged, EndcapError, toEndcapError } from './endcap-error.ts';
import type { Account } from './exports.ts';
import { type Fetch, fetchWithRetries, type RetryOptions } from './fetch-with-retries.ts';
import { createListing, type Listing, type Page } from './listing.ts';
import { readFitting } from './read-fitting.ts';
import type { Dimension, Experience, Metric, PageOptions, Report, ReportQuery, Row } from './report-types.ts';
import type { components, paths } from './schema.ts';

export * from './exports.ts';

type Schemas = components['schemas'];

export interface ClientOptions extends RetryOptions {
  /** Base URL, which must end with the version: `http://localhost:3000/v2`. */
  readonly url: string;
  /** API key. */
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

function toListingQuery<Status>(accountId: number, advertiserId: number | undefined, status: Status | undefined) {
  return {
    account_id: accountId,
    ...(advertiserId === undefined ? {} : { advertiser_id: advertiserId }),
    ...(status === undefined ? {} : { status }),
  };
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
  readonly #http: FetchClient<paths, 'application/json'>;

  constructor({ url, key, fetch = (request) => globalThis.fetch(request), ...retry }: ClientOptions) {
    if (!/\/v2\/?$/.test(url)) throw new TypeError(`the URL must end with /v2: ${url}`);
    // fetch would send the key's header to the host of a redirect
    const headers = { Accept: 'application/json', 'Ocp-Apim-Subscription-Key': key };
    this.#http = createFetchClient({ baseUrl: url, headers, redirect: 'error', fetch: fetchWithRetries(fetch, retry) });
  }

  accounts(options: CallOptions = {}): Listing<Account> {
    return createListing((offset, size) => {
      const response = unwrap(
        this.#http.GET('/metadata/accounts', { ...options, params: { query: { offset, size } } }),
      );
      return response as Promise<Page<Account>>; // the service always sends all members
    });
  }

  advertisers(accountId: number, options: CallOptions = {}): Listing<Schemas['Advertiser']> {
    return createListing((offset, size) => {
      const query = { account_id: accountId, offset, size };
      return unwrap(this.#http.GET('/metadata/advertisers', { ...options, params: { query } }));
    });
  }

  contacts(accountId: number, options: CallOptions = {}): Listing<Schemas['AdvertiserContact']> {
    return createListing((offset, size) => {
      const query = { account_id: accountId, offset, size };
      return unwrap(this.#http.GET('/metadata/contacts', { ...options, params: { query } }));
    });
  }

  addresses(accountId: number, options: CallOptions = {}): Listing<Schemas['AdvertiserAddress']> {
    return createListing((offset, size) => {
      const query = { account_id: accountId, offset, size };
      return unwrap(this.#http.GET('/metadata/addresses', { ...options, params: { query } }));
    });
  }

  placements(options: CallOptions = {}): Listing<Schemas['Placement']> {
    return createListing((offset, size) =>
      unwrap(this.#http.GET('/metadata/placements', { ...options, params: { query: { offset, size } } })),
    );
  }

  campaigns(
    accountId: number,
    { advertiserId, status, ...options }: ListingFilter<Schemas['Campaign']['status']> & CallOptions = {},
  ): Listing<Schemas['Campaign']> {
    return createListing((offset, size) => {
      const query = { ...toListingQuery(accountId, advertiserId, status), offset, size };
      return unwrap(this.#http.GET('/metadata/campaigns', { ...options, params: { query } }));
    });
  }

  adGroups(
    accountId: number,
    { advertiserId, status, ...options }: ListingFilter<Schemas['AdGroup']['status']> & CallOptions = {},
  ): Listing<Schemas['AdGroup']> {
    return createListing((offset, size) => {
      const query = { ...toListingQuery(accountId, advertiserId, status), offset, size };
      return unwrap(this.#http.GET('/metadata/ad_groups', { ...options, params: { query } }));
    });
  }

  /** @returns the catalogue: metrics and dimensions with their meanings, filter operators, and which combinations of fields have no values */
  fields(options: CallOptions = {}): Promise<Schemas['FieldResponse']> {
    return unwrap(this.#http.GET('/metadata/fields', { ...options }));
  }

  /** The products of the ad group; `available` says which can currently be advertised. Pages have up to 100 items; `size` has no effect. */
  availableProducts(adGroupId: number, options: CallOptions = {}): Listing<Schemas['Product']> {
    return createListing((offset) => {
      const params = { path: { ad_group_id: adGroupId }, query: { item_offset: offset } };
      return unwrap(this.#http.GET('/ad_groups/{ad_group_id}/available_products', { ...options, params }));
    });
  }

  /** @returns one page of a report. Its rows have the types of the requested fields */
  report<const M extends Metric = never, const D extends Dimension = never>(
    experience: Experience,
    query: ReportQuery<M, D>,
    { offset = 0, size = 100, ...options }: PageOptions & CallOptions = {},
  ): Promise<Report<M, D>> {
    const body = toRequest(query, offset, size);
    const params = { path: { experience_name: experience } };
    const response = unwrap(this.#http.POST('/report/{experience_name}', { ...options, params, body }));
    return response as Promise<Report<M, D>>; // a row has exactly the requested fields
  }

  /** @returns the response with one page of a report as a file; its headers have what JSON has in `totals` and `meta` */
  async reportFile<const M extends Metric = never, const D extends Dimension = never>(
    experience: Experience,
    query: ReportQuery<M, D>,
    format: FileFormat,
    { offset = 0, size = 10_000, ...options }: PageOptions & CallOptions = {},
  ): Promise<Response> {
    const body = toRequest(query, offset, size);
    const params = { path: { experience_name: experience } };
    const init = { ...options, params, body, headers: { Accept: MEDIA_TYPES[format] }, parseAs: 'stream' as const };
    const { response, error } = await this.#http.POST('/report/{experience_name}', init);
    if (!response.ok) throw toEndcapError(response, error);
    return response;
  }

  /**
   * Iterates over the rows of a report, reading pages as they are needed; a page that would be too large is read in smaller ones.
   * @param options `size` is the size of the pages, 10,000 by default
   * @throws EndcapError DATA_CHANGED if data is loaded while the pages are read: their rows would not fit together
   */
  async *rows<const M extends Metric = never, const D extends Dimension = never>(
    experience: Experience,
    query: ReportQuery<M, D>,
    options: PageOptions & CallOptions = {},
  ): AsyncGenerator<Row<M, D>, void> {
    for await (const { data } of this.pages(experience, query, options)) yield* data;
  }

  /** Iterates over the pages of a report; otherwise like `rows`. There is at least one page, and the last may be empty. */
  async *pages<const M extends Metric = never, const D extends Dimension = never>(
    experience: Experience,
    query: ReportQuery<M, D>,
    options: PageOptions & CallOptions = {},
  ): AsyncGenerator<Report<M, D>, void> {
    let { offset = 0, size = 10_000 } = options;
    let version: string | undefined;
    for (;;) {
      const read = (fitting: number) => this.report(experience, query, { ...options, offset, size: fitting });
      const [report, fitting] = await readFitting(read, size);
      size = fitting;
      const { dataVersion, requestId } = report.meta;
      version ??= dataVersion;
      if (version !== dataVersion) throw dataChanged(requestId);
      yield report;
      offset += report.data.length;
      if (report.data.length === 0 || offset >= report.totalCount) return;
    }
  }

  /** @returns a JWT that identifies the caller to other services */
  jwt(options: CallOptions = {}): Promise<Schemas['TokenResponse']> {
    return unwrap(this.#http.GET('/jwt', { ...options }));
  }

  /** @returns the claims of a JWT that would be issued now: who the caller is */
  claims(options: CallOptions = {}): Promise<Schemas['TokenClaims']> {
    return unwrap(this.#http.GET('/jwt/claims', { ...options }));
  }
}

function toRequest<M extends Metric, D extends Dimension>(
  { startDate, endDate, metrics = [], dimensions = [], filters = [], sort = [], advertiserIds = [] }: ReportQuery<M, D>,
  offset: number,
  size: number,
): Schemas['ReportRequest'] {
  return {
    startDate,
    endDate,
    metrics: [...metrics],
    dimensions: [...dimensions],
    filters: filters.map(({ field, operator, values = [] }) => ({ field, operator, values: values.map(String) })),
    sort: [...sort],
    advertiserIds: [...advertiserIds],
    pagination: { offset, size },
  };
}

/** @throws EndcapError unless the response has a result */
async function unwrap<Result>(
  call: Promise<{ readonly data?: Result; readonly error?: unknown; readonly response: Response }>,
): Promise<Result> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    const message = 'The response is not JSON: check the URL.';
    throw new EndcapError('UNEXPECTED_RESPONSE', message, { status: 200, cause });
  });
  if (data === undefined) throw toEndcapError(response, error);
  return data;
}
