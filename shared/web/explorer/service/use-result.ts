import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { MAX_PAGE_SIZE } from '../../../contract/report/report-limits.ts';
import { readUnchanged } from '../../client/file-pages.ts';
import type { Catalogue } from '../question/catalogue.ts';
import type { ComparedRow } from '../question/compare-rows.ts';
import { buildRequest, isComplete, type Question, type ReportRequest } from '../question/question.ts';
import { type Api, checkNextPage, comparedRows, type ReportPage, type Retry } from './api.ts';

/** Rows of a page, and of a table that is drawn whole; the first page of a report whose lines and stacks need all rows has up to MAX_PAGE_SIZE. */
export const PAGE_ROWS = 2_000;
/** The delay before a changed question or a search for values is sent, because clicks come in a row. */
export const PAUSE_MS = 200;

/** A question with its rows so far. */
export interface Result {
  readonly question: Question;
  /** As it was sent: its dates may be relative. */
  readonly sent: ReportRequest;
  /** The same with the dates of the response, for further pages. */
  readonly request: ReportRequest;
  readonly page: ReportPage;
  readonly rows: readonly ComparedRow[];
}

export interface Wait extends Retry {
  /** In milliseconds since 1970. */
  readonly until: number;
}

interface ResultState {
  /** The last result; while `busy`, it may belong to the previous question. */
  readonly result: Result | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  /** The last wait before a request was sent again, while `busy`. */
  readonly wait: Wait | undefined;
  /**
   * Reads the next page; does nothing if there is none, while a result or a page is being read, or after a failed
   * request. If data was loaded since the first page, the rows stay as they are and the error is DATA_CHANGED.
   */
  readonly readMore: () => void;
  readonly retry: () => void;
}

/**
 * Sends the question whenever it changes.
 * @param question undefined to send none
 * @param advertiserIds the advertisers of the question's account; undefined while they are being read
 * @param asOf the day that its dates depend on: the question is sent again when it changes
 * @returns the last result, and whether the next is being read
 */
export function useResult(
  api: Api,
  catalogue: Catalogue,
  question: Question | undefined,
  advertiserIds: readonly number[] | undefined,
  asOf: number | undefined,
): ResultState {
  const [state, setState] = useState<Omit<ResultState, 'wait' | 'readMore' | 'retry'>>({
    result: undefined,
    error: undefined,
    busy: true,
  });
  const [wait, setWait] = useState<Wait>();
  const [attempt, setAttempt] = useState(0);
  const reading = useRef<AbortController | undefined>(undefined);
  const isFirst = useRef(true);

  useEffect(() => {
    api.onRetry = (retry) => setWait({ ...retry, until: Date.now() + retry.seconds * 1_000 });
    return () => {
      api.onRetry = undefined;
    };
  }, [api]);

  useEffect(() => {
    setWait(undefined);
    if (question === undefined || !isComplete(question)) {
      setState({ result: undefined, error: undefined, busy: false });
      return;
    }
    if (advertiserIds === undefined) {
      setState((last) => ({ ...last, busy: true })); // a last result is of another account
      return;
    }
    const controller = new AbortController();
    setState((last) => ({ ...last, busy: true }));
    const send = async () => {
      try {
        const sent = buildRequest(question, catalogue, advertiserIds);
        const read = () => readResult(api, catalogue, question, sent, controller.signal);
        const result = await readUnchanged(read);
        if (!controller.signal.aborted) setState({ result, error: undefined, busy: false });
      } catch (error) {
        // without the last result, which would be shown under the title of this question
        if (!controller.signal.aborted) setState({ result: undefined, error, busy: false });
      }
    };
    const timer = setTimeout(send, isFirst.current ? 0 : PAUSE_MS); // the first question is sent without delay
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      controller.abort();
      reading.current?.abort();
      reading.current = undefined;
    };
  }, [api, catalogue, question, advertiserIds, asOf, attempt]);

  const readMore = useCallback(() => {
    const { result, error, busy } = state;
    if (result === undefined || error !== undefined || busy || reading.current !== undefined) return;
    if (result.rows.length >= result.page.totalCount) return;
    const controller = new AbortController();
    reading.current = controller;
    const { signal } = controller;
    api
      .report(result.question.experience, result.request, {
        offset: result.rows.length,
        size: PAGE_ROWS,
        signal,
      })
      .then((next) => {
        checkNextPage(next, result.page.meta.dataVersion);
        if (signal.aborted) return;
        setState({
          result: { ...result, rows: [...result.rows, ...comparedRows(next)] },
          error: undefined,
          busy: false,
        });
      })
      .catch((error: unknown) => {
        if (!signal.aborted) setState((last) => ({ ...last, error }));
      })
      .finally(() => {
        if (reading.current === controller) reading.current = undefined;
      });
  }, [api, state]);

  return { ...state, wait, readMore, retry: useCallback(() => setAttempt((count) => count + 1), []) };
}

async function readResult(
  api: Api,
  catalogue: Catalogue,
  question: Question,
  sent: ReportRequest,
  signal: AbortSignal,
): Promise<Result> {
  const { experience, dimensions } = question;
  const needsAll = dimensions.length > 1 || dimensions.some((name) => catalogue.dimension(name)?.type === 'date');
  const size = needsAll ? MAX_PAGE_SIZE : PAGE_ROWS;
  const page = await api.report(experience, sent, { offset: 0, size, signal });
  const { period, compared } = page.meta;
  const compare = compared && { startDate: compared.startDate, endDate: compared.endDate };
  return {
    question,
    sent,
    request: { ...sent, ...period, ...(compare && { compare }) },
    page,
    rows: comparedRows(page),
  };
}
