/** `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of a date that senders may still write (RFC 9110, 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A `Retry-After` header (seconds, or a date) as a time in ms since the epoch, null where it is missing or says nothing. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return nowMs + Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}
