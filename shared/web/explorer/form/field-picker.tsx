import { useMemo, useState } from 'preact/hooks';
import { byGroup, type Catalogue, experienceTitle, type Field, matches } from '../question/catalogue.ts';
import { withoutFields } from '../question/question.ts';
import type { Editing } from '../service/editing.ts';
import { Dialog } from '../ui/dialog.tsx';
import { moveFocus } from '../ui/move-focus.ts';

export interface FieldPickerProps extends Editing {
  readonly title: string;
  readonly noun: 'metrics' | 'dimensions';
  readonly fields: readonly Field[];
  readonly chosen: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
  readonly onClose: () => void;
}

/** All metrics or dimensions by group. Those that conflict with the question say why, and are disabled. */
export function FieldPicker(props: FieldPickerProps) {
  const { title, noun, catalogue, question, change, fields, chosen, onChoose, onClose } = props;
  const [text, setText] = useState('');
  const { experience } = question;
  const [found, ofOthers] = useMemo(() => {
    const matching = fields.filter((field) => matches(field, text));
    const isHere = (field: Field) => catalogue.hasMeaning(field, experience) && catalogue.hasData(experience, field);
    return [byGroup(matching.filter(isHere)), matching.filter((field) => !isHere(field))];
  }, [catalogue, fields, text, experience]);
  const toggle = (name: string) =>
    onChoose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  /** Adds the field, and removes those that have no meaning together with it. */
  const use = (name: string, remove: readonly string[]) => {
    const rest = withoutFields(question, remove);
    const isMetric = catalogue.metric(name) !== undefined;
    change(
      isMetric ? { ...rest, metrics: [...rest.metrics, name] } : { ...rest, dimensions: [...rest.dimensions, name] },
    );
  };
  const optionOf = (field: Field) => {
    const conflict = catalogue.conflictOf(field.name, question);
    return (
      <FieldOption
        key={field.name}
        field={field}
        isChosen={chosen.includes(field.name)}
        conflict={conflict}
        removed={conflict?.remove.map((name) => catalogue.titleOf(name)).join(', ')}
        onToggle={() => toggle(field.name)}
        onUse={() => conflict !== undefined && use(field.name, conflict.remove)}
      />
    );
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide
      class="fields"
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

interface FieldOptionProps {
  readonly field: Field;
  readonly isChosen: boolean;
  readonly conflict: ReturnType<Catalogue['conflictOf']>;
  readonly removed: string | undefined;
  readonly onToggle: () => void;
  readonly onUse: () => void;
}

function FieldOption({ field, isChosen, conflict, removed, onToggle, onUse }: FieldOptionProps) {
  const isUnavailable = conflict !== undefined && !isChosen;
  const about = `about-${field.name}`;
  return (
    <div class={conflict === undefined ? 'option' : 'option unavailable'}>
      <label class="check">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isUnavailable}
          aria-describedby={about}
          onChange={onToggle}
        />
        <span>{field.title}</span>
      </label>
      <p id={about} class="hint">
        {field.description}
        {conflict === undefined ? null : <em> {conflict.reason}</em>}
      </p>
      {isUnavailable && removed !== undefined && removed !== '' ? (
        <button type="button" class="link small" onClick={onUse}>
          Use {field.title} and remove {removed}
        </button>
      ) : null}
    </div>
  );
}
