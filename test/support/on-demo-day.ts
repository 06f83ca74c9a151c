import { readOwnSettings } from '../../infra/config/settings.ts';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { isDate, resolveDate } from '../../shared/lib/relative-date.ts';
import { DEMO_END } from './stage.ts';

const { weekStartsOn } = readOwnSettings();

/** @returns the text of a request or program with its relative dates, which are in quotation marks (escaped ones, too), as on the day after the demo network ends */
export function onDemoDay(text: string): string {
  const calendar = { today: dayNumber(DEMO_END) + 1, weekStartsOn };
  return text.replaceAll(/(?<=")\w+(?:[+-]\w+)?(?=\\?")/g, (word) =>
    isDate(word) ? formatDay(resolveDate(word, calendar)) : word,
  );
}
