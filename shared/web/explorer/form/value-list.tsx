import { useState } from 'preact/hooks';
import type { Field } from '../question/catalogue.ts';
import { readValue, showValue } from '../question/filter-value.ts';
import { format } from '../question/format.ts';
import type { Workspace } from '../service/editing.ts';
import { moveFocus } from '../ui/move-focus.ts';
import { useSuggestions } from './use-suggestions.ts';

interface ValueListProps extends Workspace {
  readonly field: Field;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** Values to check. They are suggested by a report: only operators that take several values request it. */
export function ValueList({ field, values, onChange, ...workspace }: ValueListProps) {
  const [text, setText] = useState('');
  const suggestions = useSuggestions({ ...workspace, field, text });
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter((other) => other !== value) : [...values, value]);
  const typed = text.trim();
  const { value: read, problem } = readValue(field, typed, format);
  const { unit } = format.notation(field);
  const add = () => {
    if (read === undefined) return;
    if (!values.includes(read)) onChange([...values, read]);
    setText('');
  };
  const offered = [...values, ...suggestions.values.filter((value) => !values.includes(value))];
  return (
    <div class="values">
      <label class="field">
        <span class="hint">Values</span>
        <div class="row">
          <input
            type="search"
            placeholder={`Search or type a value of ${field.title}`}
            value={text}
            aria-invalid={typed !== '' && problem !== undefined}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || typed === '') return;
              event.preventDefault();
              add();
            }}
          />
          {unit === '' ? null : <span>{unit}</span>}
          <button type="button" disabled={typed === '' || problem !== undefined} onClick={add}>
            Add
          </button>
        </div>
      </label>
      <ul class="options" aria-label="Values" onKeyDown={(event) => moveFocus(event, 'input')}>
        {offered.map((value) => (
          <li key={value}>
            <label class="check">
              <input type="checkbox" checked={values.includes(value)} onChange={() => toggle(value)} />
              <span>{showValue(field, value, format)}</span>
            </label>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {suggestions.values.length === 0 && typed !== '' && problem !== undefined ? problem : describe(suggestions)}
        {read === undefined || values.includes(read) ? '' : ` Enter adds “${typed}”.`}
      </p>
    </div>
  );
}

function describe({ busy, values, total, error }: ReturnType<typeof useSuggestions>): string {
  if (error !== undefined) return `The values cannot be read: ${error}`;
  if (busy) return 'Reading the values in the period…';
  if (total > values.length) return `${values.length} of ${total} values in the period; type to find others.`;
  return values.length === 0 ? 'No value was found.' : '';
}
