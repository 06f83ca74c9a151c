/** @returns whether the text is an origin as browsers write it in the header Origin, with which it is compared */
export function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** @returns whether the name is a time zone of IANA. It excludes fixed offsets such as `+05:00`, which Intl accepts: they would be wrong for half of the year in most places. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
