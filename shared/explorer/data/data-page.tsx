import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import { experiencesOf } from '../ask/experience-picker.tsx';
import { type Catalogue, experienceTitle } from '../question/catalogue.ts';
import { Formatter } from '../question/format.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Calendar } from './calendar.tsx';
import { type Delivery, readDelivery } from './read-days.ts';

interface DataPageProps {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly timeZone: string;
}

/** For operators: which days of which experience have arrived. */
export function DataPage({ api, catalogue, timeZone }: DataPageProps) {
  const experiences = useMemo(() => experiencesOf(catalogue), [catalogue]);
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const format = useMemo(() => new Formatter(), []);
  useEffect(() => {
    setError(undefined);
    Promise.all(experiences.map((experience) => readDelivery(api, experience, timeZone))).then(setDeliveries, setError);
  }, [api, experiences, timeZone, attempt]);
  return (
    <main class="data" id="answer">
      <h1 tabIndex={-1}>Delivered data</h1>
      <p class="muted">
        Impressions by day of all advertisers that your key may see, in {timeZone}. A day without delivery between
        others is marked as a gap.
      </p>
      {error === undefined ? null : <ErrorNotice error={error} onRetry={() => setAttempt(attempt + 1)} />}
      {deliveries === undefined && error === undefined ? <p class="muted">Reading the days…</p> : null}
      {deliveries?.map((delivery) => (
        <Calendar
          key={delivery.experience}
          title={experienceTitle(delivery.experience)}
          delivery={delivery}
          format={format}
        />
      ))}
    </main>
  );
}
