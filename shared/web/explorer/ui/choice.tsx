import type { ComponentChildren } from 'preact';

interface ChoiceProps {
  readonly title: string;
  /** The name of the chosen one; another text for none. */
  readonly value: string;
  /** Names and what is shown for them. */
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (name: string) => void;
  readonly class?: string;
  /** What stands below. */
  readonly children?: ComponentChildren;
}

/** A list of choices that opens, with its title above it. */
export function Choice({ title, value, choices, onChange, class: name = 'field', children }: ChoiceProps) {
  return (
    <label class={name}>
      <span class="hint">{title}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
      {children}
    </label>
  );
}
