import { useState } from 'preact/hooks';
import { experienceTitle } from '../question/catalogue.ts';
import type { ReportMeta } from '../service/api.ts';
import type { Workspace } from '../service/editing.ts';
import { ShowAll } from '../ui/show-all.tsx';
import { AdvertiserPicker } from './advertiser-picker.tsx';
import { FieldList } from './field-list.tsx';
import { FilterList } from './filter-list.tsx';
import { PeriodPicker } from './period-picker.tsx';

interface QuestionFormProps extends Workspace {
  /** Of the last result of the experience. */
  readonly meta: ReportMeta | undefined;
}

export function QuestionForm({ meta, ...workspace }: QuestionFormProps) {
  const { catalogue, question, change } = workspace;
  const [showsAll, setShowsAll] = useState(false);
  const { choices } = catalogue;
  const offered = choices.filter((name) => showsAll || name === question.experience || catalogue.hasData(name));
  return (
    <form
      class="question-form"
      id="question-form"
      aria-label="Question"
      onSubmit={(event) => event.preventDefault()}
      onClickCapture={keepFocus}
    >
      <h1>Question</h1>
      <fieldset class="buttons">
        <legend>Experience</legend>
        {offered.map((experience) => (
          <label key={experience} class="check">
            <input
              type="radio"
              name="experience"
              checked={experience === question.experience}
              onChange={() => change({ ...question, experience })}
            />
            <span>{experienceTitle(experience)}</span>
          </label>
        ))}
        {offered.length === choices.length ? null : <ShowAll onClick={() => setShowsAll(true)} />}
      </fieldset>
      <AdvertiserPicker {...workspace} />
      <PeriodPicker {...workspace} meta={meta} />
      <FieldList {...workspace} title="Metrics" noun="metrics" />
      <FieldList {...workspace} title="Break down by" noun="dimensions" />
      <FilterList {...workspace} />
    </form>
  );
}

/** A button that has removed itself leaves the focus to the one that adds, not to the page. */
function keepFocus({ target }: Event): void {
  const button = target instanceof Element ? target.closest('.icon') : null;
  const fieldset = button?.closest('fieldset');
  requestAnimationFrame(() => {
    if (button?.isConnected === false) fieldset?.querySelector<HTMLElement>('.add')?.focus();
  });
}
