import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Catalogue, experienceTitle } from '../question/catalogue.ts';
import type { Api } from '../service/api.ts';
import { useToday } from '../service/use-catalogue.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { DeliveredDays } from './delivered-days.tsx';
import { LatestDays } from './latest-days.tsx';
import { type Delivery, readDelivery } from './read-delivery.ts';

interface DataPageProps {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly timeZone: string;
}

/** The age from which the data is read again when the window gets the focus. */
const MAX_AGE_MS = 60_000;

/** Which days of each experience have delivery. */
export function DataPage({ api, catalogue, timeZone }: DataPageProps) {
  const { experiences } = catalogue;
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const [isReading, setReading] = useState(true);
  const readAt = useRef(0);
  const today = useToday(catalogue);
  useEffect(() => {
    readAt.current = Date.now();
    setError(undefined);
    setReading(true);
    Promise.all(experiences.map((experience) => readDelivery(api, experience, catalogue.calendar)))
      .then(setDeliveries, setError)
      .finally(() => setReading(false));
  }, [api, catalogue, experiences, attempt, today]);
  const refresh = useCallback(() => setAttempt((count) => count + 1), []);
  useEffect(() => {
    const onFocus = () => {
      if (Date.now() - readAt.current >= MAX_AGE_MS) refresh();
    };
    window.addEventListener('focus', onFocus);
    return () => window.removeEventListener('focus', onFocus);
  }, [refresh]);
  return (
    <main class="data" id="result">
      <div class="result-head">
        <h1 tabIndex={-1}>Delivered data</h1>
        <button type="button" disabled={isReading} onClick={refresh}>
          Refresh
        </button>
      </div>
      {error === undefined ? null : <ErrorNotice error={error} onRetry={refresh} />}
      {deliveries === undefined && error === undefined ? <p class="muted">Reading the days…</p> : null}
      {deliveries === undefined ? null : <LatestDays deliveries={deliveries} />}
      <p class="muted">
        Impressions by day of all advertisers that your key may see, in {timeZone}. A day without delivery is a gap if a
        later one has some, or if data should be complete through it. A day is partial if it has no conversions or no
        activity, although earlier days have some.
      </p>
      {deliveries?.map((delivery) => (
        <DeliveredDays key={delivery.experience} title={experienceTitle(delivery.experience)} delivery={delivery} />
      ))}
    </main>
  );
}
