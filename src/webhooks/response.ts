import type { Exchange } from '../ports/sender.ts';

/** `Sun, 06 Nov 1994 08:49:37 GMT`: the only date format that senders may generate (RFC 9110, 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Outcome of an attempt. `error` is shown to the receiver's owner. */
export type Verdict =
  | { readonly kind: 'acknowledged'; readonly responseCode: number }
  | { readonly kind: 'failed'; readonly responseCode: number | null; readonly error: string };

/** Only a 2xx response acknowledges an event. */
export function verdictOf(exchange: Exchange): Verdict {
  if (exchange.kind === 'failed') return { kind: 'failed', responseCode: null, error: exchange.error };
  const { status } = exchange;
  if (status >= 200 && status < 300) return { kind: 'acknowledged', responseCode: status };
  const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { kind: 'failed', responseCode: status, error: `answered ${status}${redirected}` };
}

/** Parses a `Retry-After` header (seconds or a date) to ms since the epoch; null if missing or malformed. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return nowMs + Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}
