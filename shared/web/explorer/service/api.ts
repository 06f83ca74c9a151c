import {
  type Account,
  type Advertiser,
  type Client,
  type Compare,
  createClient,
  type Dimension,
  EndcapError,
  type Experience,
  type FieldCatalogue,
  type FileFormat,
  type Metric,
  type ReportHeader,
  type ReportMeta,
  type ReportQuery,
  type Retry,
} from '../../client/client.ts';
import { dataChanged } from '../../client/endcap-error.ts';
import { type FilePage, readFilePages } from '../../client/file-pages.ts';
import type { ComparedRow, Row } from '../question/compare-rows.ts';
import type { ReportRequest } from '../question/question.ts';

export type { Account, FilePage, ReportHeader, ReportMeta, Retry };
export { EndcapError };

export interface ListedAdvertiser extends Advertiser {
  /** The name of the account in whose list it is. */
  readonly account: string;
}

/** A page of a report whose fields are known at run time only. */
export interface ReportPage {
  readonly headers: readonly ReportHeader[];
  /** With a compared period, each row has the metrics in it, and their changes. */
  readonly data: readonly (Row & { readonly compared?: Row; readonly change?: Row; readonly relativeChange?: Row })[];
  readonly comparedTotals?: Row;
  readonly changeTotals?: Row;
  readonly relativeChangeTotals?: Row;
  readonly totalCount: number;
  readonly totals: Row;
  readonly meta: ReportMeta;
}

interface PageOptions {
  readonly offset: number;
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
}

export class Api {
  /** The base URL with the version: `https://api.example.com/v2`. */
  readonly base: string;
  /** Called when a failed request waits to be sent again. */
  onRetry: ((retry: Retry) => void) | undefined;
  readonly #client: Client;
  readonly #advertisers = new Map<number, Promise<readonly ListedAdvertiser[]>>();

  constructor(base: string, key: string) {
    this.base = base;
    this.#client = createClient({ url: base, key, onRetry: (retry) => this.onRetry?.(retry) });
  }

  catalogue(): Promise<FieldCatalogue> {
    return this.#client.fields();
  }

  accounts(): Promise<Account[]> {
    return this.#client.accounts().toArray();
  }

  /** @returns the id of the key's user; undefined if the key may not request tokens, or after another error */
  user(): Promise<string | undefined> {
    return this.#client.claims().then(
      ({ sub }) => sub,
      () => undefined,
    );
  }

  /** @returns the account's advertisers, which are read once */
  advertisers({ id, name }: Account): Promise<readonly ListedAdvertiser[]> {
    const known = this.#advertisers.get(id);
    if (known !== undefined) return known;
    const read = this.#client.advertisers(id).toArray();
    const listed = read.then((list) => list.map((advertiser) => ({ ...advertiser, account: name })));
    this.#advertisers.set(id, listed);
    listed.catch(() => this.#advertisers.delete(id));
    return listed;
  }

  async report(experience: string, request: ReportRequest, page: PageOptions): Promise<ReportPage> {
    const { signal, ...rest } = page;
    const options = signal === undefined ? rest : { ...rest, signal };
    // the experience may be from a link; the service rejects an unknown one
    const report = await this.#client.report(experience as Experience, toQuery(request), options);
    return report as unknown as ReportPage; // its fields are known at run time only
  }

  /** Iterates over all pages of a report. @throws as `files` */
  pages(experience: string, request: ReportRequest, signal: AbortSignal): AsyncGenerator<ReportPage> {
    const pages = this.#client.pages(experience as Experience, toQuery(request), { signal });
    return pages as unknown as AsyncGenerator<ReportPage>; // as in `report`
  }

  /**
   * Iterates over the pages of a report as files.
   * @throws EndcapError DATA_CHANGED if data is loaded meanwhile; the signal's reason if it is aborted
   */
  files(experience: string, request: ReportRequest, format: FileFormat, signal: AbortSignal): AsyncGenerator<FilePage> {
    const any = experience as Experience; // as in `report`
    return readFilePages(this.#client, any, toQuery(request), format, { signal });
  }
}

/** @returns the rows of the page, each with its metrics in the compared period */
export function comparedRows({ data }: ReportPage): ComparedRow[] {
  return data.map(({ compared, change, relativeChange, ...row }) => ({
    row,
    previous: compared,
    change,
    relativeChange,
  }));
}

/**
 * @param version the version of the data of the pages before
 * @throws EndcapError DATA_CHANGED if the page is of other data, or empty although the pages before promised rows
 */
export function checkNextPage({ data, meta }: ReportPage, version: string): void {
  if (meta.dataVersion !== version || data.length === 0) throw dataChanged(meta.requestId);
}

/** The names of fields and operators are known at run time only; the service rejects unknown ones. */
function toQuery(request: ReportRequest) {
  return request as ReportQuery<Metric, Dimension, Compare | undefined>;
}
