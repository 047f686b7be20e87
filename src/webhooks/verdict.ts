import type { Exchange } from '../ports/sender.ts';

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
