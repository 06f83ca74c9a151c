import type { SummedRows } from '../columns/build-day.ts';
import { type Example, type Finding, Tally } from './fact-warnings.ts';

/** A day of activity, as its rows are checked against it. */
export interface ActivityDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** How long each hour of the day lasts in the platform's zone. */
  readonly secondsOfHours: readonly number[];
}

const HOUR_SECONDS = 3_600;

/**
 * @param facts rows with equal keys summed: one an ad group and hour
 * @returns what is doubtful about them
 */
export function checkActivity({ rows, keys, measures }: SummedRows, { date, secondsOfHours }: ActivityDay): Finding[] {
  const overlong = new Tally('overlongActivity');
  const unscheduled = new Tally('unscheduledActivity');
  const keyOf = (name: 'hour' | 'ad_group_id', row: number) => {
    const column = keys.get(name);
    return Number(column?.dictionary[column.codes[row] ?? 0]);
  };
  const live = (row: number) => measures.get('live_seconds')?.[row] ?? 0;
  const scheduled = (row: number) => measures.get('scheduled_seconds')?.[row] ?? 0;
  for (let row = 0; row < rows; row++) {
    const seconds = secondsOfHours[keyOf('hour', row)] || HOUR_SECONDS; // of an hour that is skipped, that is said
    if (live(row) > seconds) overlong.add(row, row);
    if (live(row) > scheduled(row)) unscheduled.add(row, row);
  }
  const describe = (row: number, what: string): Example => ({
    what: `${what} of ad group ${keyOf('ad_group_id', row)} in hour ${keyOf('hour', row)} of ${date}`,
  });
  const show = (seconds: number) => seconds.toLocaleString('en-US');
  return [
    ...overlong.find((row) => describe(row, show(live(row)))),
    ...unscheduled.find((row) => describe(row, `${show(live(row))} against ${show(scheduled(row))}`)),
  ];
}
