import { useState } from 'preact/hooks';
import type { Catalogue, Field } from '../question/catalogue.ts';
import { type FieldFilter, isCompleteFilter } from '../question/question.ts';
import type { Workspace } from '../service/editing.ts';
import { Choice } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ShowAll } from '../ui/show-all.tsx';
import { useSuggestions } from './use-suggestions.ts';
import { ValueInputs } from './value-inputs.tsx';
import { ValueList } from './value-list.tsx';

type Operator = Catalogue['operators'][number];

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
  const isReady = isCompleteFilter(draft, catalogue);
  const save = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    if (!isReady) return;
    onSave({ ...draft, values: draft.values.filter((value) => value !== '') });
    onClose();
  };
  return (
    <Dialog title={filter === undefined ? 'Add a filter' : 'Change the filter'} onClose={onClose}>
      <form onSubmit={save} class="filter">
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
        {field === undefined || operator === undefined ? null : (
          <Values
            {...props}
            {...{ field, operator }}
            values={draft.values}
            onChange={(values) => setDraft({ ...draft, values })}
          />
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={!isReady}>
            Apply
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ValuesProps extends FilterDialogProps {
  readonly field: Field;
  readonly operator: Operator;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function Values(props: ValuesProps) {
  const { field, operator, values, onChange } = props;
  if (operator.values === 'none') return null;
  if (operator.values === 'some') return <SuggestedValues {...props} />;
  return <ValueInputs key={field.name} count={operator.values === 'two' ? 2 : 1} {...{ field, values, onChange }} />;
}

/** A component of its own, because suggestions are a report: other operators must not request them. */
function SuggestedValues(props: ValuesProps) {
  const { api, catalogue, question, advertisers, field, values, onChange } = props;
  const [text, setText] = useState('');
  const suggestions = useSuggestions({ api, catalogue, question, advertisers, field, text });
  return <ValueList {...{ field, values, onChange, suggestions, text, onText: setText }} />;
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
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
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
  const isMeasured = catalogue.metric(name) !== undefined && field.values === undefined && field.type !== 'text';
  const arity = isMeasured ? 'one' : 'some';
  const first = operators.find(({ values }) => values === arity) ?? operators[0];
  return { field: name, operator: first?.name ?? '', values: [] };
}
