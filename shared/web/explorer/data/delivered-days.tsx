import { useEffect, useRef } from 'preact/hooks';
import { formatDay } from '../../../lib/calendar.ts';
import { describeDays } from '../question/describe.ts';
import { format } from '../question/format.ts';
import { type Delivery, latestDay } from './read-delivery.ts';

interface DeliveredDaysProps {
  readonly title: string;
  readonly delivery: Delivery;
}

const LEVELS = 4;

/** A column for each week and a cell for each day. */
export function DeliveredDays({ title, delivery }: DeliveredDaysProps) {
  const { days, first, last, completeThrough, gaps, partial } = delivery;
  const scroller = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    // on a narrow page, the days are scrolled to the day through which data is complete, or else to its end
    const latest = current.querySelector<HTMLElement>('.complete');
    const end = latest === null ? current.scrollWidth : latest.offsetLeft + latest.offsetWidth + 16;
    current.scrollTo({ left: end - current.clientWidth });
  }, []);
  const high = Math.max(0, ...[...days.values()].map(({ impressions }) => impressions));
  const gapDays = new Set(gaps);
  const weeks = Array.from({ length: Math.ceil((last - first + 1) / 7) }, (_, index) => first + 7 * index);
  const describe = (day: number) => {
    const found = days.get(day);
    const date = format.longDate(formatDay(day));
    if (gapDays.has(day)) return `${date}: no delivery (gap)`;
    if (found === undefined) return `${date}: no data`;
    const figures = `${date}: ${format.count(found.impressions)} impressions, ${format.count(found.transactions)} transactions`;
    const reasons = partial.get(day);
    return reasons === undefined ? figures : `${figures} (partial: ${reasons.join('; ')})`;
  };
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p class="hint">{summaryOf(delivery)}</p>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section ref={scroller} class="calendar" tabIndex={0} aria-label={`Days of ${title}`}>
        <table>
          <thead>
            <tr>
              <td />
              {weeks.map((week, index) => (
                <th key={week} scope="col">
                  <span class={startsMonth(week, index) ? '' : 'visually-hidden'}>
                    {startsMonth(week, index) ? format.day(week, { month: 'short' }) : formatDay(week)}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: 7 }, (_, weekday) => (
              <tr key={weekday}>
                <th scope="row">{format.day(first + weekday, { weekday: 'short' })}</th>
                {weeks.map((week) => {
                  const day = week + weekday;
                  if (day > last) return <td key={week} />;
                  const state = gapDays.has(day) ? 'gap' : partial.has(day) ? 'partial' : '';
                  return (
                    <td
                      key={week}
                      class={day === completeThrough ? `${state} complete` : state}
                      style={`--level: var(--level-${levelOf(days.get(day)?.impressions ?? 0, high)})`}
                      title={describe(day)}
                      data-day={formatDay(day)}
                    >
                      <span class="visually-hidden">{describe(day)}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <DayList title={`${format.counted(gaps.length, 'day')} without delivery`} reasons={new Map([['', gaps]])} />
      <DayList
        title={format.counted(partial.size, 'partial day')}
        reasons={Map.groupBy(partial.keys(), (day) => partial.get(day)?.join('; ') ?? '')}
      />
    </section>
  );
}

interface DayListProps {
  readonly title: string;
  /** Ascending days by a text that follows them in parentheses, unless it is empty. */
  readonly reasons: ReadonlyMap<string, readonly number[]>;
}

function DayList({ title, reasons }: DayListProps) {
  const listed = [...reasons].flatMap(([reason, days]) => {
    if (days.length === 0) return [];
    return [`${describeDays(days, format)}${reason === '' ? '' : ` (${reason})`}`];
  });
  if (listed.length === 0) return null;
  return (
    <div class="notice warning">
      <p>
        <strong>{title}:</strong> {listed.join('; ')}
      </p>
    </div>
  );
}

function summaryOf(delivery: Delivery): string {
  const { days, completeThrough, first, last } = delivery;
  if (days.size === 0) return 'No data in the last 12 months.';
  const latest = latestDay(delivery);
  const behind = last - latest;
  const isOutlined = completeThrough !== undefined && completeThrough >= first && completeThrough <= last;
  const parts = [
    `${format.counted(days.size, 'day')} with data`,
    `the latest is ${format.date(formatDay(latest))}, ${behind > 0 ? `${format.counted(behind, 'day')} before ` : ''}yesterday`,
    completeThrough === undefined
      ? ''
      : `data through ${format.date(formatDay(completeThrough))}${isOutlined ? ' (outlined)' : ''}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** 0 for nothing, else 1 to LEVELS in equal steps up to the highest day. */
function levelOf(impressions: number, high: number): number {
  return impressions <= 0 || high === 0 ? 0 : Math.max(1, Math.ceil((impressions / high) * LEVELS));
}

function startsMonth(week: number, index: number): boolean {
  const day = Number(formatDay(week).slice(8));
  return day <= 7 || (index === 0 && day <= 21); // later, the next month's name would touch it
}
