const NEW_YORK = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
  hour12: false,
});

/** @returns the day and hour of a timestamp with an offset, in the platform's zone */
export function localTime(timestamp: string): { daily_date: string; hour: number } {
  const parts = new Map(NEW_YORK.formatToParts(Date.parse(timestamp)).map((part) => [part.type, part.value]));
  const daily_date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  return { daily_date, hour: Number(parts.get('hour')) % 24 };
}
