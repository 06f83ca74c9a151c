import { useEffect, useState } from 'preact/hooks';
import type { Field } from '../question/catalogue.ts';
import { showValue } from '../question/filter-value.ts';
import { format } from '../question/format.ts';
import { buildRequest, EMPTY_QUESTION, type Question } from '../question/question.ts';
import type { Api, ListedAdvertiser } from '../service/api.ts';
import type { Workspace } from '../service/editing.ts';
import { PAUSE_MS } from '../service/use-result.ts';

interface Suggestions {
  readonly values: readonly string[];
  /** Number of values that match; `values` are the first of them. */
  readonly total: number;
  readonly busy: boolean;
  readonly error: string | undefined;
}

interface SuggestionInput extends Pick<Workspace, 'catalogue' | 'question' | 'advertisers'> {
  readonly api: Pick<Api, 'report'>;
  readonly field: Field;
  /** What the values must contain, ignoring case. */
  readonly text: string;
}

/** Suggested values; others are found by typing a part of them. */
const MAX_VALUES = 200;
const NOTHING: Suggestions = { values: [], total: 0, busy: false, error: undefined };

/** @returns the field's values that contain the text: of its closed set, or of the question's report */
export function useSuggestions(input: SuggestionInput): Suggestions {
  const { api, catalogue, question, advertisers, field, text } = input;
  const [found, setFound] = useState<Suggestions>({ ...NOTHING, busy: true });
  const isReadable = field.values === undefined && catalogue.dimension(field.name) !== undefined;
  useEffect(() => {
    if (!isReadable || advertisers === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    const read = async () => {
      try {
        const page = await readValues({ api, catalogue, question, advertisers, field, text, signal });
        if (!signal.aborted) setFound({ ...NOTHING, ...page });
      } catch (error) {
        if (!signal.aborted) setFound({ ...NOTHING, error: error instanceof Error ? error.message : String(error) });
      }
    };
    setFound((last) => ({ ...last, busy: true }));
    const timer = setTimeout(read, text === '' ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [api, catalogue, question, advertisers, field, text, isReadable]);
  if (isReadable) return found;
  const contains = (value: string) => showValue(field, value, format).toLowerCase().includes(text.toLowerCase());
  const closed = (field.values ?? []).map(String).filter(contains);
  return { ...NOTHING, values: closed, total: closed.length };
}

interface ReadInput extends SuggestionInput {
  readonly advertisers: readonly ListedAdvertiser[];
  readonly signal: AbortSignal;
}

/**
 * @returns the first values of a dimension that contain the text, and how many there are, without null.
 * @throws EndcapError, and Error as buildRequest does
 */
export async function readValues(input: ReadInput): Promise<Pick<Suggestions, 'values' | 'total'>> {
  const { api, catalogue, question, advertisers, field, text, signal } = input;
  const { experience, account, advertisers: chosen, period, compare } = question;
  const requested = {
    ...EMPTY_QUESTION,
    experience,
    account,
    advertisers: chosen,
    period,
    compare,
    dimensions: [field.name],
    filters: filtersFor(field, text),
  };
  const ids = advertisers.map(({ id }) => id);
  const request = buildRequest(requested, catalogue, ids);
  const { data, totalCount } = await api.report(experience, request, { offset: 0, size: MAX_VALUES, signal });
  return { values: data.map((row) => String(row[field.name])), total: totalCount };
}

/** Null, which is not a value to choose, would be counted although it is on no page: it is the last row. */
function filtersFor({ name }: Field, text: string): Question['filters'] {
  const hasValue = { field: name, operator: 'NOT_NULL', values: [] };
  const typed = text.trim();
  return typed === '' ? [hasValue] : [hasValue, { field: name, operator: 'CONTAINS', values: [typed] }];
}
