import { formatDay } from '../../../lib/calendar.ts';
import { experienceTitle } from '../question/catalogue.ts';
import { format } from '../question/format.ts';
import { type Delivery, latestDay } from './read-delivery.ts';

interface LatestDaysProps {
  readonly deliveries: readonly Delivery[];
}

const SHOWN_DAYS = 7;
/** Days after the latest with data that are shown, to leave room for days with data. */
const MAX_EMPTY_DAYS = 3;

/** What has arrived of the latest days, by experience. */
export function LatestDays({ deliveries }: LatestDaysProps) {
  const latest = Math.max(...deliveries.map(latestDay));
  const last = Math.min(latest + MAX_EMPTY_DAYS, ...deliveries.map((delivery) => delivery.last));
  if (!Number.isFinite(last)) return null;
  const days = Array.from({ length: SHOWN_DAYS }, (_, index) => last - index);
  return (
    <section class="card" aria-label="Latest days">
      <header>
        <h2>Latest days</h2>
        <p class="hint">Impressions, and advertisers with delivery</p>
      </header>
      <div class="latest-days">
        <table>
          <thead>
            <tr>
              <td />
              {deliveries.map((delivery) => (
                <th key={delivery.experience} scope="col">
                  {experienceTitle(delivery.experience)}
                  <p class="hint">{describeThrough(delivery)}</p>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day}>
                <th scope="row">{format.day(day, { weekday: 'short', month: 'short', day: 'numeric' })}</th>
                {deliveries.map((delivery) => (
                  <DayCell key={delivery.experience} delivery={delivery} day={day} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface DayCellProps {
  readonly delivery: Delivery;
  readonly day: number;
}

function DayCell({ delivery, day }: DayCellProps) {
  const { days, gaps, partial, advertisers } = delivery;
  const found = days.get(day);
  if (gaps.includes(day)) return <td class="gap">no delivery</td>;
  if (found === undefined) return <td class="muted">no data</td>;
  const reasons = partial.get(day);
  const delivering = advertisers.get(day);
  return (
    <td class={reasons === undefined ? '' : 'partial'}>
      {format.count(found.impressions)}
      {delivering === undefined ? null : <p class="hint">{format.counted(delivering, 'advertiser')}</p>}
      {reasons === undefined ? null : <p>{reasons.join('; ')}</p>}
    </td>
  );
}

function describeThrough({ completeThrough }: Delivery): string {
  return completeThrough === undefined ? 'no data' : `through ${format.date(formatDay(completeThrough))}`;
}
