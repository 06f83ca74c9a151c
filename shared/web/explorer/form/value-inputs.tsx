import type { Field } from '../question/catalogue.ts';

interface ValueInputsProps {
  readonly type: Field['type'];
  readonly count: 1 | 2;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const LABELS = { 1: ['Value'], 2: ['From', 'To'] } as const;

/** One value, or the first and the last of a range. */
export function ValueInputs({ type, count, values, onChange }: ValueInputsProps) {
  const set = (index: number, value: string) => {
    const given = Array.from({ length: count }, (_, at) => values[at] ?? '');
    onChange(given.with(index, value.trim()));
  };
  return (
    <div class="field-row">
      {LABELS[count].map((label, index) => (
        <label key={label} class="field" for={`value-${label}`}>
          <span>{label}</span>
          {type === 'date' ? (
            <input
              id={`value-${label}`}
              type="date"
              value={values[index] ?? ''}
              onInput={(event) => set(index, event.currentTarget.value)}
            />
          ) : (
            <input
              id={`value-${label}`}
              type="text"
              value={values[index] ?? ''}
              onInput={(event) => set(index, event.currentTarget.value)}
            />
          )}
        </label>
      ))}
    </div>
  );
}
