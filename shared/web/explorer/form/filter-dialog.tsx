import { useState } from 'preact/hooks';
import type { Catalogue, Field } from '../question/catalogue.ts';
import { type FieldFilter, isCompleteFilter } from '../question/question.ts';
import type { Workspace } from '../service/editing.ts';
import { Choice } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ShowAll } from '../ui/show-all.tsx';
import { ValueInputs } from './value-inputs.tsx';
import { ValueList } from './value-list.tsx';

interface FilterDialogProps extends Workspace {
  readonly filter: FieldFilter | undefined;
  readonly onSave: (filter: FieldFilter) => void;
  readonly onClose: () => void;
}

/** Asks for field, operator and values. Nothing changes until it is applied. */
export function FilterDialog(props: FilterDialogProps) {
  const { catalogue, question, filter, onSave, onClose } = props;
  const [draft, setDraft] = useState<FieldFilter>(filter ?? { field: '', operator: '', values: [] });
  const field = catalogue.field(draft.field);
  const operator = catalogue.operator(draft.operator);
  const keepValues = (values: readonly string[], name: string) =>
    values.slice(0, { none: 0, one: 1, two: 2, some: values.length }[catalogue.operator(name)?.values ?? 'none']);
  const arity = operator?.values;
  const onChange = (values: readonly string[]) => setDraft({ ...draft, values });
  const edited = field && { field, values: draft.values, onChange };
  const takesNumber = arity === 'some' && isMeasured(draft.field, catalogue) && draft.values.length < 2;
  const isReady = isCompleteFilter(draft, catalogue);
  const save = (event: Event) => {
    event.stopPropagation();
    if (isReady) onSave({ ...draft, values: draft.values.filter((value) => value !== '') });
    else event.preventDefault();
  };
  return (
    <Dialog title={filter === undefined ? 'Add a filter' : 'Change the filter'} onClose={onClose}>
      <form method="dialog" onSubmit={save} class="filter">
        <FieldSelect
          catalogue={catalogue}
          experience={question.experience}
          value={draft.field}
          onChange={(next) => setDraft(startWith(next, catalogue))}
        />
        {field === undefined ? null : (
          <Choice
            title="Condition"
            value={draft.operator}
            choices={catalogue.operatorsFor(field).map(({ name, title }) => [name, title])}
            onChange={(name) => setDraft({ ...draft, operator: name, values: keepValues(draft.values, name) })}
          >
            <span class="hint">{operator?.description}</span>
          </Choice>
        )}
        {edited === undefined || arity !== 'some' || takesNumber ? null : <ValueList {...props} {...edited} />}
        {edited === undefined || !(takesNumber || arity === 'one' || arity === 'two') ? null : (
          <ValueInputs key={edited.field.name} count={arity === 'two' ? 2 : 1} {...edited} />
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={!isReady}>
            Apply
          </button>
          <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldSelectProps {
  readonly catalogue: Catalogue;
  readonly experience: string;
  readonly value: string;
  readonly onChange: (field: string) => void;
}

function FieldSelect({ catalogue, experience, value, onChange }: FieldSelectProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { dimensions, metrics } = catalogue;
  const isOffered = (field: Field) => showsAll || field.name === value || catalogue.hasData(experience, field);
  return (
    <>
      <label class="field">
        <span class="hint">Field</span>
        <select autofocus value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="" disabled>
            Choose a field…
          </option>
          {Object.entries({ Dimensions: dimensions, Metrics: metrics }).map(([kind, fields]) => (
            <optgroup key={kind} label={kind}>
              {fields.filter(isOffered).map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {[...dimensions, ...metrics].every(isOffered) ? null : <ShowAll onClick={() => setShowsAll(true)} />}
    </>
  );
}

/** Begins with the first operator that takes several values, for measured metrics with one that takes one. */
function startWith(name: string, catalogue: Catalogue): FieldFilter {
  const field = catalogue.field(name);
  if (field === undefined) return { field: '', operator: '', values: [] };
  const operators = catalogue.operatorsFor(field);
  const arity = isMeasured(name, catalogue) ? 'one' : 'some';
  const first = operators.find(({ values }) => values === arity) ?? operators[0];
  return { field: name, operator: first?.name ?? '', values: [] };
}

function isMeasured(name: string, catalogue: Catalogue): boolean {
  const metric = catalogue.metric(name);
  return metric !== undefined && metric.values === undefined && metric.type !== 'text';
}
