import type { ArrivalsPage, PublishedKeys, RevocationsAnswer, ScanAnswer, ScanBody } from './contract.ts';
import type { Fault } from './entry.ts';
import type { Refusal } from './verdict.ts';

/** How long a scan waits for the service before the phone decides. */
export const SCAN_MS = 3_000;
const READ_MS = 15_000;

/**
 * What came of a request. `unanswered`: no network, too slow, or a failure of the service that a repetition may pass; its `fault` is
 * null if no service was reached.
 */
export type Outcome<T> =
  | { readonly kind: 'answered'; readonly data: T }
  | ({ readonly kind: 'refused'; readonly status: number } & Refusal)
  | { readonly kind: 'unanswered'; readonly fault: Pick<Fault, 'status' | 'code'> | null };

/** Codes with which the service says nothing about the voucher. */
const PASSING: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS', 'INTERNAL_ERROR']);

type Init = { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
type Asked = { readonly key: string; readonly timeoutMs?: number };

export function scan(
  body: ScanBody,
  asked: Asked & { readonly idempotencyKey?: string },
): Promise<Outcome<ScanAnswer>> {
  return post('/api/venue/verify', body, asked);
}

export function recordArrivals(
  body: { readonly booking_id: string; readonly guests_present: number },
  asked: Asked,
): Promise<Outcome<{ readonly guests_present: number }>> {
  return post('/api/venue/arrivals', body, asked);
}

/** A page of a day's list; without a date, of today's at the venue. */
export function arrivals(
  { date, cursor }: { readonly date: string | null; readonly cursor: string | null },
  asked: Asked,
): Promise<Outcome<ArrivalsPage>> {
  const query = new URLSearchParams();
  if (date !== null) query.set('date', date);
  if (cursor !== null) query.set('cursor', cursor);
  return send(`/api/venue/arrivals${query.size === 0 ? '' : `?${query}`}`, {}, asked);
}

export function revocations(date: string, asked: Asked): Promise<Outcome<RevocationsAnswer>> {
  return send(`/api/venue/revocations?date=${date}`, {}, asked);
}

/** Null without an answer. The key set has no envelope. */
export async function publishedKeys(): Promise<PublishedKeys | null> {
  try {
    const response = await fetch('/.well-known/waymark-voucher-keys.json', { signal: AbortSignal.timeout(READ_MS) });
    return response.ok ? ((await response.json()) as PublishedKeys) : null;
  } catch {
    return null;
  }
}

function post<T>(path: string, body: object, asked: Asked & { readonly idempotencyKey?: string }): Promise<Outcome<T>> {
  const { idempotencyKey } = asked;
  const headers = {
    'content-type': 'application/json',
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  return send(path, { method: 'POST', headers, body: JSON.stringify(body) }, asked);
}

async function send<T>(path: string, init: Init, { key, timeoutMs = READ_MS }: Asked): Promise<Outcome<T>> {
  try {
    const response = await fetch(path, {
      ...init,
      credentials: 'omit',
      cache: 'no-store',
      headers: { ...init.headers, 'x-device-key': key },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { ok, status } = response;
    // The page of a proxy is not JSON.
    const answer = (await response.json().catch(() => ({}))) as { data?: T; code?: string; details?: string };
    if (ok && answer.data !== undefined) return { kind: 'answered', data: answer.data };
    const { code = null, details = '' } = answer;
    if (code !== null && !PASSING.has(code)) return { kind: 'refused', status, code, details };
    // A success that is not of the service: the portal of a network.
    return { kind: 'unanswered', fault: ok ? null : { status, code } };
  } catch (fault) {
    const isSlow = fault instanceof DOMException && fault.name === 'TimeoutError';
    return { kind: 'unanswered', fault: isSlow ? { status: 0, code: null } : null };
  }
}
