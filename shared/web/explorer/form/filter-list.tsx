import { useState } from 'preact/hooks';
import { describeFilter } from '../question/describe.ts';
import { format } from '../question/format.ts';
import type { FieldFilter, Question } from '../question/question.ts';
import { FilterDialog, type FilterDialogProps } from './filter-dialog.tsx';

type FilterListProps = Omit<FilterDialogProps, 'filter' | 'onSave' | 'onClose'> & {
  readonly change: (question: Question) => void;
};

/** The filters as sentences, each of which opens its editor. */
export function FilterList({ api, catalogue, question, advertisers, change }: FilterListProps) {
  const [edited, setEdited] = useState<number>();
  const { filters } = question;
  const set = (next: readonly FieldFilter[]) => change({ ...question, filters: next });
  const save = (filter: FieldFilter) => {
    if (edited === undefined) return;
    set(edited < filters.length ? filters.with(edited, filter) : [...filters, filter]);
  };
  return (
    <fieldset>
      <legend>Filters</legend>
      <ul class="chips">
        {filters.map((filter, index) => (
          <li key={index} class="chip">
            <button type="button" class="plain" onClick={() => setEdited(index)}>
              {describeFilter(filter, catalogue, format)}
            </button>
            <button
              type="button"
              class="icon"
              aria-label={`Remove the filter ${describeFilter(filter, catalogue, format)}`}
              onClick={() => set(filters.toSpliced(index, 1))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="add" onClick={() => setEdited(filters.length)}>
        Add a filter
      </button>
      {edited === undefined ? null : (
        <FilterDialog
          {...{ api, catalogue, question, advertisers }}
          filter={filters[edited]}
          onSave={save}
          onClose={() => setEdited(undefined)}
        />
      )}
    </fieldset>
  );
}
