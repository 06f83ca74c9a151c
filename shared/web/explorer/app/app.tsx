import { useCallback, useEffect, useErrorBoundary, useMemo, useRef, useState } from 'preact/hooks';
import { DataPage } from '../data/data-page.tsx';
import { QuestionBar } from '../form/question-bar.tsx';
import { QuestionForm } from '../form/question-form.tsx';
import { experienceTitle } from '../question/catalogue.ts';
import { experienceOf, hasUnknownExperience, readQuestion, writeQuestion } from '../question/link.ts';
import type { Question } from '../question/question.ts';
import { firstQuestion } from '../question/starting-questions.ts';
import { ResultView } from '../result/result-view.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { type Account, Api, EndcapError } from './api.ts';
import { Header } from './header.tsx';
import { storedKey } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { type Metadata, useAdvertisers, useLastDay, useMetadata } from './use-catalogue.ts';
import { useResult } from './use-result.ts';
import { hashOf, type Route, useRoute } from './use-route.ts';

export interface AppSettings {
  readonly base: string;
  readonly timeZone: string;
  readonly demoKeys: readonly (readonly string[])[];
}

/** Printable ASCII without spaces, as keys are. With many other characters `fetch` would throw, because a header cannot hold them. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The page: a form for the key, and then the question and its result, or the delivered days. */
export function App({ settings }: { readonly settings: AppSettings }) {
  const [key, setKey] = useState(storedKey.read);
  const [rejected, setRejected] = useState<string>();
  const api = useMemo(() => (key === undefined ? undefined : new Api(settings.base, key)), [settings.base, key]);
  const signIn = (given: string) => {
    if (!SENDABLE.test(given)) return setRejected('This is not an API key: it has characters that no key has.');
    storedKey.write(given);
    setRejected(undefined);
    setKey(given);
  };
  const signOut = useCallback((reason?: string) => {
    storedKey.remove();
    setRejected(reason);
    setKey(undefined);
  }, []);
  if (api === undefined) return <SignIn demoKeys={settings.demoKeys} problem={rejected} onKey={signIn} />;
  return <SignedIn key={key} api={api} settings={settings} onSignOut={signOut} />;
}

interface SignedInProps {
  readonly api: Api;
  readonly settings: AppSettings;
  readonly onSignOut: (reason?: string) => void;
}

/** The pages, or the error that prevents them, until the link changes or somebody tries again. */
function SignedIn(props: SignedInProps) {
  const { onSignOut } = props;
  const [reported, setReported] = useState<unknown>();
  const [thrown, resetThrown] = useErrorBoundary();
  const [route] = useRoute();
  const onError = useCallback(
    (problem: unknown) => {
      const reason = explainKey(problem);
      if (reason !== undefined) onSignOut(reason);
      else setReported(problem);
    },
    [onSignOut],
  );
  const retry = () => {
    setReported(undefined);
    resetThrown();
  };
  const error = thrown ?? reported;
  useEffect(() => {
    if (error !== undefined) retry();
  }, [route]);
  if (error === undefined) return <Pages {...props} route={route} onError={onError} />;
  return (
    <div class="page-message">
      <ErrorNotice error={error} onRetry={retry} />
      <button type="button" class="quiet" onClick={() => onSignOut()}>
        Use another key
      </button>
    </div>
  );
}

/** @returns why the explorer cannot be used with the key; undefined if the problem is another */
function explainKey(problem: unknown): string | undefined {
  if (!(problem instanceof EndcapError)) return undefined;
  const { status, code, message } = problem;
  if (code === 'SCOPE_FORBIDDEN') return `${message} The explorer needs a key for metadata and report.`;
  return status === 401 || code === 'ADDRESS_FORBIDDEN' ? message : undefined;
}

interface PagesProps extends SignedInProps {
  readonly route: Route;
  readonly onError: (error: unknown) => void;
}

function Pages({ api, settings, onSignOut, route: { page, query }, onError }: PagesProps) {
  const metadata = useMetadata(api, page === 'report' ? experienceOf(query) : undefined, settings.timeZone, onError);
  if (metadata === undefined) return <p class="page-message muted">Reading the catalogue…</p>;
  return <Workspace {...{ api, settings, metadata, onSignOut, onError }} />;
}

interface WorkspaceProps extends SignedInProps {
  readonly metadata: Metadata;
  readonly onError: (error: unknown) => void;
}

/** The pages. A report is sent once its page is shown, and kept while the page of the data is. */
function Workspace(props: WorkspaceProps) {
  const { api, settings, metadata, onSignOut } = props;
  const [route, go] = useRoute();
  const isReport = route.page === 'report';
  const lastQuery = useRef<string>(undefined);
  if (isReport) lastQuery.current = route.query;
  const { current: query } = lastQuery;
  return (
    <div class="app">
      <Header page={route.page} report={hashOf({ page: 'report', query: query ?? '' })} onSignOut={onSignOut} />
      {query === undefined ? null : <ReportPage {...props} {...{ query, go }} isShown={isReport} />}
      {isReport ? null : <DataPage api={api} catalogue={metadata.catalogue} timeZone={settings.timeZone} />}
    </div>
  );
}

interface ReportPageProps extends WorkspaceProps {
  readonly query: string;
  readonly go: (route: Route) => void;
  readonly isShown: boolean;
}

/** The question and its result. */
function ReportPage({ api, settings, metadata, onError, query, go, isShown }: ReportPageProps) {
  const { catalogue, accounts } = metadata;
  const question = useMemo(
    () => withOwnAccount(query === '' ? firstQuestion() : readQuestion(query, catalogue), accounts),
    [query, catalogue, accounts],
  );
  const change = useCallback((next: Question) => go({ page: 'report', query: writeQuestion(next) }), [go]);
  const [isEditing, setEditing] = useState(false);
  const lastDay = useLastDay(api, question.experience, settings.timeZone, onError);
  const advertisers = useAdvertisers(api, question.account, onError);
  const advertiserIds = useMemo(() => advertisers?.map(({ id }) => id), [advertisers]);
  const state = useResult(api, catalogue, question, lastDay?.day, advertiserIds);
  useEffect(() => setEditing(false), [isShown]);
  if (!isShown) return null;
  return (
    <main class={isEditing ? 'workspace editing' : 'workspace'}>
      <button
        type="button"
        class="form-toggle"
        aria-expanded={isEditing}
        aria-controls="question-form"
        onClick={() => setEditing(!isEditing)}
      >
        {isEditing ? 'Show the result' : 'Change the question'}
      </button>
      <QuestionForm {...{ api, catalogue, accounts, advertisers, question, lastDay, change }} />
      <div class="result" id="result">
        {hasUnknownExperience(query, catalogue) ? (
          <p class="notice warning" role="status">
            The link names an experience that does not exist. This is {experienceTitle(question.experience)} instead.
          </p>
        ) : null}
        <QuestionBar question={question} onChoose={change} catalogue={catalogue} />
        <ResultView {...{ api, catalogue, question, state, change }} />
      </div>
    </main>
  );
}

/** A link from somebody else may name an account that this key may not read; the question then covers all accounts of the key. */
function withOwnAccount(question: Question, accounts: readonly Account[]): Question {
  const isOwn = question.account === undefined || accounts.some(({ id }) => id === question.account);
  return isOwn ? question : { ...question, account: undefined, advertisers: [] };
}
