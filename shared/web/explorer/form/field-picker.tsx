import { useMemo, useState } from 'preact/hooks';
import { byGroup, experienceTitle, type Field, matches } from '../question/catalogue.ts';
import { withoutFields } from '../question/question.ts';
import type { Editing } from '../service/editing.ts';
import { Dialog } from '../ui/dialog.tsx';
import { moveFocus } from '../ui/move-focus.ts';

export interface FieldPickerProps extends Editing {
  readonly title: string;
  readonly noun: 'metrics' | 'dimensions';
  readonly onClose: () => void;
}

/** All metrics or dimensions by group. Those that conflict with the question say why, and are disabled. */
export function FieldPicker(props: FieldPickerProps) {
  const { title, noun, catalogue, question, onClose } = props;
  const { experience } = question;
  const fields = catalogue[noun];
  const chosen = question[noun];
  const [text, setText] = useState('');
  const [found, ofOthers] = useMemo(() => {
    const matching = fields.filter((field) => matches(field, text));
    const isHere = (field: Field) => catalogue.hasMeaning(field, experience) && catalogue.hasData(experience, field);
    return [byGroup(matching.filter(isHere)), matching.filter((field) => !isHere(field))];
  }, [catalogue, fields, text, experience]);
  const optionOf = (field: Field) => <FieldOption key={field.name} {...props} field={field} />;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      class="wide fields"
      footer={
        <p class="muted" role="status">
          {chosen.length === 0
            ? 'Nothing chosen'
            : `Chosen: ${chosen.map((name) => catalogue.titleOf(name)).join(', ')}`}
        </p>
      }
    >
      <input
        type="search"
        autofocus
        aria-label={`Search ${noun}`}
        placeholder="Search names and meanings"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {found.size + ofOthers.length === 0 ? <p class="muted">Nothing matches “{text}”.</p> : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the checkboxes, which are interactive */}
      <div class="groups" onKeyDown={(event) => moveFocus(event, 'input[type=checkbox]:not(:disabled)')}>
        {[...found].map(([group, members]) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {members.map(optionOf)}
          </fieldset>
        ))}
      </div>
      {ofOthers.length === 0 ? null : (
        <details open={text !== ''}>
          <summary>
            Show {ofOthers.length} without meaning or data in {experienceTitle(experience)}
          </summary>
          <div class="groups">{ofOthers.map(optionOf)}</div>
        </details>
      )}
    </Dialog>
  );
}

interface FieldOptionProps extends FieldPickerProps {
  readonly field: Field;
}

function FieldOption({ field, noun, catalogue, question, change }: FieldOptionProps) {
  const { name, title, description } = field;
  const conflict = catalogue.conflictOf(name, question);
  const remove = conflict?.remove ?? [];
  const isChosen = question[noun].includes(name);
  const isUnavailable = conflict !== undefined && !isChosen;
  const about = `about-${name}`;
  /** Adds the field, and removes those that have no meaning together with it. */
  const use = () => {
    const rest = withoutFields(question, remove);
    change({ ...rest, [noun]: [...rest[noun], name] });
  };
  const toggle = () => (isChosen ? change(withoutFields(question, [name])) : use());
  return (
    <div class={conflict === undefined ? 'option' : 'option unavailable'}>
      <label class="check">
        <input type="checkbox" checked={isChosen} disabled={isUnavailable} aria-describedby={about} onChange={toggle} />
        <span>{title}</span>
      </label>
      <p id={about} class="hint">
        {description}
        {conflict === undefined ? null : <em> {conflict.reason}</em>}
      </p>
      {isUnavailable && remove.length > 0 ? (
        <button type="button" class="link small" onClick={use}>
          Use {title} and remove {remove.map((other) => catalogue.titleOf(other)).join(', ')}
        </button>
      ) : null}
    </div>
  );
}
