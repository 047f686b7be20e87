/** Formatters are expensive to create; one entry per locale and zone in use. */
const made = new Map<string, Intl.DateTimeFormat>();

/** The date at a venue, `YYYY-MM-DD`. */
export function localDate(timeZone: string, atMs: number): string {
  return format('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(atMs);
}

/** `14:05`, at the venue. */
export function localClock(locale: string, timeZone: string, atMs: number): string {
  return format(locale, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(atMs);
}

/** `14:05` of the venue's present day, otherwise with the date. */
export function localMoment(
  locale: string,
  timeZone: string,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): string {
  if (localDate(timeZone, atMs) === localDate(timeZone, nowMs)) return localClock(locale, timeZone, atMs);
  const date = format(locale, { timeZone, day: 'numeric', month: 'long', year: 'numeric' }).format(atMs);
  return `${date}, ${localClock(locale, timeZone, atMs)}`;
}

/** @param date `YYYY-MM-DD` @param days may be negative */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(options)}`;
  const known = made.get(name) ?? new Intl.DateTimeFormat(locale, options);
  made.set(name, known);
  return known;
}
