import { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { DataPage } from '../data/data-page.tsx';
import { QuestionBar } from '../form/question-bar.tsx';
import { QuestionForm } from '../form/question-form.tsx';
import { describeOwners } from '../question/describe.ts';
import { writeQuestion } from '../question/link.ts';
import { nameOfMoving } from '../question/period.ts';
import type { Question } from '../question/question.ts';
import { LinkNotice } from '../result/link-notice.tsx';
import { ResultView } from '../result/result-view.tsx';
import { Api, EndcapError } from '../service/api.ts';
import { type Metadata, useMetadata, useToday } from '../service/use-catalogue.ts';
import { useKey } from '../service/use-key.ts';
import { useResult } from '../service/use-result.ts';
import { hashOf, type Route, useLink, useRoute } from '../service/use-route.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { Brand } from './brand-name.tsx';
import { Header } from './header.tsx';
import { SignIn } from './sign-in.tsx';

interface AppSettings {
  readonly base: string;
  readonly timeZone: string;
  readonly brand: Brand;
  readonly demoKeys: readonly (readonly string[])[];
}

/** Printable ASCII without spaces, as keys are: a header cannot hold other characters, so `fetch` would throw. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The page: a form for the key, and then the question and its result, or the delivered days. */
export function App({ settings }: { readonly settings: AppSettings }) {
  const [rejected, setRejected] = useState<string>();
  const mayKeep = settings.brand.keepKeys ?? true;
  const { key, write, remove } = useKey(
    mayKeep,
    useCallback(() => setRejected('The key was removed in another tab.'), []),
  );
  const api = useMemo(() => (key === undefined ? undefined : new Api(settings.base, key)), [settings.base, key]);
  const signIn = (given: string, isKept: boolean) => {
    if (!SENDABLE.test(given)) return setRejected('This is not an API key: it has characters that no key has.');
    setRejected(undefined);
    write(given, isKept);
  };
  const signOut = useCallback(
    (reason?: string) => {
      setRejected(reason);
      remove();
    },
    [remove],
  );
  if (api === undefined) return <SignIn {...settings} mayKeep={mayKeep} problem={rejected} onKey={signIn} />;
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
  if (error === undefined) return <Pages {...props} onError={onError} />;
  return (
    <div class="page-message">
      <ErrorNotice error={error} onRetry={retry} />
      <button type="button" onClick={() => onSignOut()}>
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
  readonly onError: (error: unknown) => void;
}

function Pages(props: PagesProps) {
  const metadata = useMetadata(props.api, props.onError);
  if (metadata === undefined) return <p class="page-message muted">Reading the catalogue…</p>;
  return <Workspace {...props} metadata={metadata} />;
}

interface WorkspaceProps extends PagesProps {
  readonly metadata: Metadata;
}

/** A report is sent once its page is shown, and kept while the page of the data is. */
function Workspace(props: WorkspaceProps) {
  const { api, settings, metadata, onSignOut, onError } = props;
  const [route, go] = useRoute();
  const isReport = route.page === 'report';
  const lastQuery = useRef<string>(undefined);
  if (isReport) lastQuery.current = route.query;
  const { current: query } = lastQuery;
  const link = useLink(api, query ?? '', metadata, onError);
  // the page of the data is about all of the key
  const asked = isReport ? link.question : { account: undefined, advertisers: [] };
  const owners = describeOwners(asked, metadata.accounts, link.advertisers ?? []);
  const report = hashOf({ page: 'report', query: query ?? '' });
  return (
    <div class="app">
      <Header page={route.page} {...{ api, report, owners, onSignOut }} brand={settings.brand} />
      {query === undefined ? null : <ReportPage {...props} {...{ link, owners, go }} isShown={isReport} />}
      {isReport ? null : <DataPage api={api} catalogue={metadata.catalogue} timeZone={settings.timeZone} />}
    </div>
  );
}

/** No ids: the advertisers of all accounts. */
const ALL: readonly number[] = [];

interface ReportPageProps extends WorkspaceProps {
  readonly link: ReturnType<typeof useLink>;
  readonly owners: string;
  readonly go: (route: Route) => void;
  readonly isShown: boolean;
}

/** The question and its result. A link with unknown parts is sent only once somebody accepts it without them. */
function ReportPage({ api, metadata, onError, link, owners, go, isShown }: ReportPageProps) {
  const { catalogue, accounts } = metadata;
  const { question, leftOut, advertisers } = link;
  const open = useCallback((query: string) => go({ page: 'report', query }), [go]);
  const change = useCallback((next: Question) => open(writeQuestion(next)), [open]);
  const [isEditing, setEditing] = useState(false);
  const { account } = question;
  const advertiserIds = useMemo(
    () => (account === undefined ? ALL : advertisers?.map(({ id }) => id)),
    [account, advertisers],
  );
  const isAccepted = leftOut.length === 0;
  const today = useToday(catalogue);
  const asOf = nameOfMoving(question.period) === undefined ? undefined : today;
  const state = useResult(api, catalogue, isAccepted ? question : undefined, advertiserIds, asOf);
  const { result, error, retry } = state;
  // before it is drawn: the form for another key says it, not the result
  useLayoutEffect(() => {
    if (explainKey(error) !== undefined) onError(error);
  }, [error, onError]);
  const meta = result?.question.experience === question.experience ? result.page.meta : undefined;
  const workspace = { api, catalogue, accounts, advertisers, question, change, onError };
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
      <QuestionForm {...workspace} meta={meta} />
      <div class="result" id="result">
        <QuestionBar question={question} onOpen={open} onRepeat={retry} catalogue={catalogue} />
        {isAccepted ? (
          <ResultView {...workspace} state={state} />
        ) : (
          <LinkNotice {...workspace} {...{ leftOut, owners }} />
        )}
      </div>
    </main>
  );
}
