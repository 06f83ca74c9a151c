import { useState } from 'preact/hooks';
import type { Catalogue } from '../question/catalogue.ts';
import { describeQuestion } from '../question/describe.ts';
import { writeQuestion } from '../question/link.ts';
import { isComplete, type Question } from '../question/question.ts';
import { offeredQuestions, STARTING_QUESTIONS } from '../question/starting-questions.ts';
import { savedQuestions } from '../service/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ShowAll } from '../ui/show-all.tsx';

interface QuestionBarProps {
  readonly question: Question;
  readonly catalogue: Catalogue;
  readonly onOpen: (query: string) => void;
  readonly onRepeat: () => void;
}

/** Ready-made and saved questions, one click each. A ready-made one keeps whose data it is, the period and the comparison. */
export function QuestionBar({ question, catalogue, onOpen, onRepeat }: QuestionBarProps) {
  const [saved, setSaved] = useState(savedQuestions.read);
  const [showsAll, setShowsAll] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { experience, account, advertisers, period, compare } = question;
  const current = writeQuestion(question);
  const open = (query: string) => (query === current ? onRepeat() : onOpen(query));
  const store = (next: typeof saved) => {
    try {
      savedQuestions.write(next);
      setSaved(next);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const ready = offeredQuestions(catalogue, experience, showsAll);
  return (
    <nav class="questions buttons" aria-label="Questions">
      <ul>
        {ready.map(({ title, about, question: start }) => {
          const offered = writeQuestion({ ...start, experience, account, advertisers, period, compare });
          return (
            <li key={title}>
              <button type="button" title={about} aria-pressed={offered === current} onClick={() => open(offered)}>
                {title}
              </button>
            </li>
          );
        })}
        {ready.length === STARTING_QUESTIONS.length ? null : (
          <li>
            <ShowAll onClick={() => setShowsAll(true)} />
          </li>
        )}
        {saved.map(({ name, query }) => (
          <li key={name} class="saved">
            <button
              type="button"
              title="Saved in this browser"
              aria-pressed={query === current}
              onClick={() => open(query)}
            >
              {name}
            </button>
            <button
              type="button"
              class="icon"
              aria-label={`Delete the saved question ${name}`}
              onClick={() => store(saved.filter((other) => other.name !== name))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <button type="button" disabled={!isComplete(question)} onClick={() => setSaving(true)}>
        Save
      </button>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          The saved questions could not be changed: {problem}
        </p>
      )}
      {isSaving ? (
        <SaveDialog
          suggestion={describeQuestion(question, catalogue)}
          onClose={() => setSaving(false)}
          onSave={(name) => store([...saved.filter((other) => other.name !== name), { name, query: current }])}
        />
      ) : null}
    </nav>
  );
}

interface SaveDialogProps {
  readonly suggestion: string;
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

function SaveDialog({ suggestion, onSave, onClose }: SaveDialogProps) {
  const [name, setName] = useState(suggestion);
  const save = (event: Event) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    onClose();
  };
  return (
    <Dialog title="Save this question" onClose={onClose}>
      <form onSubmit={save}>
        <label class="field">
          <span class="hint">Name</span>
          <input type="text" value={name} maxLength={80} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <p class="hint">
          It is saved in this browser, without the key. Its periods move with the data unless they are dates.
        </p>
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    </Dialog>
  );
}
