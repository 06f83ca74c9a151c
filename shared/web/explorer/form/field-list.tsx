import { useState } from 'preact/hooks';
import { withFields } from '../question/question.ts';
import { FieldPicker, type FieldPickerProps } from './field-picker.tsx';

type FieldListProps = Omit<FieldPickerProps, 'onClose'>;

/** The chosen fields in their order, which is that of the columns, and a button that opens the list of all. */
export function FieldList(props: FieldListProps) {
  const { title, noun, catalogue, question, change } = props;
  const chosen = question[noun];
  const [isOpen, setOpen] = useState(false);
  const choose = (names: readonly string[]) => change(withFields(question, { [noun]: names }));
  const move = (index: number) => choose(swap(chosen, index - 1, index));
  return (
    <fieldset>
      <legend>{title}</legend>
      <ul class="chips">
        {chosen.map((name, index) => {
          const field = catalogue.field(name);
          const fieldTitle = field?.title ?? name;
          const reason = catalogue.nullReason(name, question);
          return (
            <li
              key={name}
              class={reason === undefined ? 'chip' : 'chip unavailable'}
              title={reason ?? field?.description}
            >
              <span>{fieldTitle}</span>
              {reason === undefined ? null : <span class="visually-hidden">(has no values: {reason})</span>}
              {index === 0 ? null : (
                <button type="button" class="icon" aria-label={`Move ${fieldTitle} up`} onClick={() => move(index)}>
                  ↑
                </button>
              )}
              <button
                type="button"
                class="icon"
                aria-label={`Remove ${fieldTitle}`}
                onClick={() => choose(chosen.filter((other) => other !== name))}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" class="add" onClick={() => setOpen(true)}>
        {chosen.length === 0 ? `Choose ${noun}` : 'Add or remove'}
        <span class="visually-hidden"> ({title})</span>
      </button>
      {isOpen ? <FieldPicker {...props} onClose={() => setOpen(false)} /> : null}
    </fieldset>
  );
}

function swap(names: readonly string[], a: number, b: number): readonly string[] {
  const [first, second] = [names[a], names[b]];
  return first === undefined || second === undefined ? names : names.with(a, second).with(b, first);
}
