import { useState } from 'preact/hooks';
import { describeFilter } from '../question/describe.ts';
import { format } from '../question/format.ts';
import type { FieldFilter } from '../question/question.ts';
import type { Workspace } from '../service/editing.ts';
import { FilterDialog } from './filter-dialog.tsx';

/** The filters as sentences, each of which opens its editor. */
export function FilterList(props: Workspace) {
  const { catalogue, question, change } = props;
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
        <FilterDialog {...props} filter={filters[edited]} onSave={save} onClose={() => setEdited(undefined)} />
      )}
    </fieldset>
  );
}
