import {
  type Account,
  type Advertiser,
  type Client,
  createClient,
  type Dimension,
  EndcapError,
  type Experience,
  type Metric,
  type ReportHeader,
  type ReportMeta,
} from '../../client/client.ts';
import type { CatalogueData } from '../question/catalogue.ts';
import type { Row } from '../question/compare-rows.ts';
import type { ReportQuestion } from '../question/question.ts';

export type { Account, Advertiser, ReportHeader, ReportMeta };
export { EndcapError };

/** A page of a report whose fields are known at run time only. */
export interface ReportPage {
  readonly headers: readonly ReportHeader[];
  readonly data: readonly Row[];
  readonly totalCount: number;
  readonly totals: Row;
  readonly meta: ReportMeta;
}

export interface PageOptions {
  readonly offset: number;
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
}

/** The API as the explorer uses it, with one key. */
export class Api {
  /** With the version: `https://api.example.com/v2`. */
  readonly base: string;
  readonly #key: string;
  readonly #client: Client;

  constructor(base: string, key: string) {
    this.base = base;
    this.#key = key;
    this.#client = createClient({ url: base, key });
  }

  async catalogue(): Promise<CatalogueData> {
    const response = await fetch(`${this.base}/metadata/fields`, { headers: this.#headers() });
    const body: unknown = await response.json();
    if (!response.ok) throw toError(response.status, body);
    return (body as { readonly data: CatalogueData }).data; // the API's contract: FieldResponse
  }

  accounts(): Promise<Account[]> {
    return this.#client.accounts().toArray();
  }

  advertisers(accountId: number): Promise<Advertiser[]> {
    return this.#client.advertisers(accountId).toArray();
  }

  async report(experience: string, question: ReportQuestion, page: PageOptions): Promise<ReportPage> {
    const { signal, ...rest } = page;
    const options = signal === undefined ? rest : { ...rest, signal };
    // the names come from the catalogue, which lists the fields, operators and experiences that the client's types are made from
    const query = question as Parameters<Client['report']>[1] & { metrics: Metric[]; dimensions: Dimension[] };
    return (await this.#client.report(experience as Experience, query, options)) as unknown as ReportPage;
  }

  /** @returns one page of a report as a file of the media type; throws as `report` does */
  async file(experience: string, question: ReportQuestion, page: PageOptions, accept: string): Promise<Response> {
    const { offset, size, signal } = page;
    const response = await fetch(`${this.base}/report/${experience}`, {
      method: 'POST',
      headers: { ...this.#headers(), 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ ...question, pagination: { offset, size } }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw toError(response.status, await response.json().catch(() => undefined));
    return response;
  }

  #headers(): Record<string, string> {
    return { 'Ocp-Apim-Subscription-Key': this.#key };
  }
}

function toError(status: number, body: unknown): EndcapError {
  const message =
    typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : `Status ${status}`;
  return new EndcapError('UNEXPECTED_RESPONSE', message, { status });
}
