import { useEffect, useState } from 'preact/hooks';
import type { Advertiser, Api } from '../app/api.ts';
import type { Catalogue, Field } from '../question/catalogue.ts';
import { EMPTY_QUESTION, type Question, resolveQuestion } from '../question/question.ts';

/** Values of a field that contain a text. */
export interface Suggestions {
  readonly values: readonly string[];
  /** Number of values that match; `values` are the first of them. */
  readonly total: number;
  readonly busy: boolean;
  readonly error: string | undefined;
}

export interface SuggestionInput {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly question: Question;
  readonly lastDay: number | undefined;
  readonly advertisers: readonly Advertiser[] | undefined;
  readonly field: Field;
  /** What the values must contain; for a dimension without a closed set, a pattern as in LIKE, in which % stands for any text. */
  readonly text: string;
}

const MAX_VALUES = 200;
const PAUSE_MS = 250;
const NOTHING: Suggestions = { values: [], total: 0, busy: false, error: undefined };

/** @returns the field's values that contain the text: of its closed set, or for another dimension those of the question's advertisers in its period; none for another metric */
export function useSuggestions(input: SuggestionInput): Suggestions {
  const { api, catalogue, question, lastDay, advertisers, field, text } = input;
  const [found, setFound] = useState<Suggestions>({ ...NOTHING, busy: true });
  const isReadable = field.values === undefined && catalogue.dimension(field.name) !== undefined;
  useEffect(() => {
    if (!isReadable || lastDay === undefined || advertisers === undefined) return;
    const controller = new AbortController();
    const read = async () => {
      const { experience, account, advertisers: chosen, period } = question;
      const requested = {
        ...EMPTY_QUESTION,
        experience,
        account,
        advertisers: chosen,
        period,
        dimensions: [field.name],
        filters: filtersFor(field, text),
      };
      try {
        const ids = advertisers.map(({ id }) => id);
        const { request } = resolveQuestion(requested, catalogue, lastDay, ids);
        const { data, totalCount } = await api.report(experience, request, {
          offset: 0,
          size: MAX_VALUES,
          signal: controller.signal,
        });
        const values = data.flatMap((row) => (row[field.name] === null ? [] : [String(row[field.name])]));
        if (!controller.signal.aborted)
          setFound({
            values,
            total: Math.max(values.length, totalCount - (data.length - values.length)),
            busy: false,
            error: undefined,
          });
      } catch (error) {
        if (!controller.signal.aborted)
          setFound({ ...NOTHING, error: error instanceof Error ? error.message : String(error) });
      }
    };
    setFound((last) => ({ ...last, busy: true }));
    const timer = setTimeout(read, text === '' ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [api, catalogue, question, lastDay, advertisers, field, text, isReadable]);
  if (isReadable) return found;
  const closed = (field.values ?? []).map(String).filter((value) => value.toLowerCase().includes(text.toLowerCase()));
  return { ...NOTHING, values: closed, total: closed.length };
}

function filtersFor({ name }: Field, text: string): Question['filters'] {
  const typed = text.trim();
  return typed === '' ? [] : [{ field: name, operator: 'LIKE', values: [typed] }];
}
