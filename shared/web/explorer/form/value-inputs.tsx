import { useState } from 'preact/hooks';
import type { Field } from '../question/catalogue.ts';
import { boxValue, readValue } from '../question/filter-value.ts';
import { format } from '../question/format.ts';

interface ValueInputsProps {
  readonly field: Field;
  readonly count: 1 | 2;
  readonly values: readonly string[];
  /** Called with '' in place of a text that is not a value. */
  readonly onChange: (values: readonly string[]) => void;
}

const LABELS = { 1: ['Value'], 2: ['From', 'To'] } as const;

/** One value, or the first and the last of a range, as figures are shown. */
export function ValueInputs({ field, count, values, onChange }: ValueInputsProps) {
  const [texts, setTexts] = useState(() => values.map((value) => boxValue(field, value, format)));
  const { unit } = format.notation(field);
  const set = (index: number, text: string) => {
    const typed = Array.from({ length: count }, (_, at) => texts[at] ?? '').with(index, text);
    setTexts(typed);
    onChange(typed.map((each) => readValue(field, each.trim(), format).value ?? ''));
  };
  return (
    <div class="row">
      {LABELS[count].map((label, index) => {
        const text = texts[index] ?? '';
        const problem = text.trim() === '' ? undefined : readValue(field, text.trim(), format).problem;
        const attributes = {
          id: `value-${label}`,
          value: text,
          'aria-invalid': problem !== undefined,
          'aria-describedby': `unit-${label} problem-${label}`,
          onInput: (event: { readonly currentTarget: HTMLInputElement }) => set(index, event.currentTarget.value),
        };
        return (
          <div key={label} class="field">
            <span class="hint">
              <label for={`value-${label}`}>{label}</label>
            </span>
            <div class="row">
              {field.type === 'date' ? <input type="date" {...attributes} /> : <input type="text" {...attributes} />}
              <span id={`unit-${label}`}>{unit}</span>
            </div>
            <p id={`problem-${label}`} class="problem" aria-live="polite">
              {problem}
            </p>
          </div>
        );
      })}
    </div>
  );
}
