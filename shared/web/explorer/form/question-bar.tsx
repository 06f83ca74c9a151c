import { useState } from 'preact/hooks';
import type { Catalogue } from '../question/catalogue.ts';
import { describeQuestion } from '../question/describe.ts';
import { writeQuestion } from '../question/link.ts';
import { isComplete, type Question } from '../question/question.ts';
import { offeredQuestions, STARTING_QUESTIONS } from '../question/starting-questions.ts';
import { savedQuestions } from '../service/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { ShowAll } from '../ui/show-all.tsx';

interface QuestionBarProps {
  readonly question: Question;
  readonly catalogue: Catalogue;
  readonly onOpen: (query: string) => void;
  readonly onRepeat: () => void;
}

interface Offered {
  readonly name: string;
  readonly about: string;
  readonly query: string;
}

/** Ready-made and saved questions, the first one click away, all in a menu. A ready-made one keeps whose data it is, the period and the comparison. */
export function QuestionBar({ question, catalogue, onOpen, onRepeat }: QuestionBarProps) {
  const [saved, setSaved] = useState(savedQuestions.read);
  const [showsAll, setShowsAll] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [renamed, setRenamed] = useState<string>();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const { experience, account, advertisers, period, compare } = question;
  const current = writeQuestion(question);
  const open = (query: string) => {
    setText('');
    if (query === current) onRepeat();
    else onOpen(query);
  };
  const store = (next: typeof saved) => {
    try {
      savedQuestions.write(next);
      setSaved(next);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const wanted = text.trim().toLowerCase();
  const ready = offeredQuestions(catalogue, experience, showsAll || wanted !== '').map(
    ({ title, about, question: start }) => ({
      name: title,
      about,
      query: writeQuestion({ ...start, experience, account, advertisers, period, compare }),
    }),
  );
  const found = <Named extends { readonly name: string }>(questions: readonly Named[]) =>
    questions.filter(({ name }) => name.toLowerCase().includes(wanted));
  const rename = (name: string) => {
    const others = saved.filter((other) => other.name !== name && other.name !== renamed);
    store([...others, { name, query: saved.find((other) => other.name === renamed)?.query ?? current }]);
  };
  const choiceOf = ({ name, about, query }: Offered) => (
    <button type="button" title={about} aria-pressed={query === current} onClick={() => open(query)}>
      {name}
    </button>
  );
  return (
    <nav class="questions buttons" aria-label="Questions">
      <ul>
        {ready.map((offered) => (
          <li key={offered.name}>{choiceOf(offered)}</li>
        ))}
      </ul>
      <Menu title="All questions">
        <input
          type="search"
          aria-label="Search questions"
          placeholder="Search questions"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <ul aria-label="Ready-made questions">
          {found(ready).map((offered) => (
            <li key={offered.name}>{choiceOf(offered)}</li>
          ))}
        </ul>
        {ready.length === STARTING_QUESTIONS.length ? null : <ShowAll onClick={() => setShowsAll(true)} />}
        <ul aria-label="Saved in this browser">
          {found(saved).map(({ name, query }) => (
            <li key={name}>
              {choiceOf({ name, query, about: 'Saved in this browser' })}
              <button
                type="button"
                class="icon"
                aria-label={`Rename the saved question ${name}`}
                onClick={() => setRenamed(name)}
              >
                ✎
              </button>
              <button
                type="button"
                class="icon"
                aria-label={`Delete the saved question ${name}`}
                onClick={() =>
                  confirm(`Delete the saved question “${name}”?`) && store(saved.filter((other) => other.name !== name))
                }
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      </Menu>
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
          title="Save this question"
          taken={saved.map(({ name }) => name)}
          suggestion={describeQuestion(question, catalogue)}
          onClose={() => setSaving(false)}
          onSave={(name) => store([...saved.filter((other) => other.name !== name), { name, query: current }])}
        />
      ) : null}
      {renamed === undefined ? null : (
        <SaveDialog
          title="Rename the question"
          taken={saved.map(({ name }) => name).filter((name) => name !== renamed)}
          suggestion={renamed}
          onClose={() => setRenamed(undefined)}
          onSave={rename}
        />
      )}
    </nav>
  );
}

interface SaveDialogProps {
  readonly title: string;
  /** Names of other questions. */
  readonly taken: readonly string[];
  readonly suggestion: string;
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

function SaveDialog({ title, taken, suggestion, onSave, onClose }: SaveDialogProps) {
  const [name, setName] = useState(suggestion);
  const save = (event: Event) => {
    if (name.trim() === '') event.preventDefault();
    else onSave(name.trim());
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form method="dialog" onSubmit={save}>
        <label class="field">
          <span class="hint">Name</span>
          <input
            type="text"
            autofocus
            value={name}
            maxLength={80}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p class="hint">
          It is saved in this browser, without the key. Its periods move with the data unless they are dates.
        </p>
        <button type="submit" class="primary">
          {taken.includes(name.trim()) ? 'Replace the question of this name' : 'Save'}
        </button>
      </form>
    </Dialog>
  );
}
