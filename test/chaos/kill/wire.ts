import { eventually } from './real-time.ts';

/** A text in each guest's name, address and wishes, and nowhere else in requests. */
export const GUEST_MARK = /quetzal-\d{6}/gi;

/** The body of execute_booking. */
export type Wish = {
  readonly activity_id: string;
  readonly booking_date: string;
  readonly num_adults: number;
  readonly num_children: number;
  readonly user_name: string;
  readonly user_email: string;
  readonly special_requests: string | null;
  /** The log id of a recommendation. */
  readonly context_log_id: string | null;
};

/** The fields of a booking that the test reads; it is compared as a whole. */
export type BookingData = Omit<Wish, 'activity_id'> & {
  readonly booking_id: string;
  readonly status: string;
  /** Null until it is confirmed. */
  readonly voucher: { readonly code: string } | null;
  readonly activity: { readonly id: string };
  readonly pricing: { readonly unit_price: number; readonly total: number };
  /** The end of the booking and its refund; null while it is neither cancelled nor rejected. */
  readonly cancellation: CancellationData | null;
  /** Null until its voucher was scanned. */
  readonly visit: { readonly verified_at: string; readonly disputed: boolean } | null;
  readonly email_sent: boolean;
  readonly email_sent_at: string | null;
  readonly email_reason?: string;
};

export type CancellationData = {
  readonly cancelled_at: string;
  readonly reason: string;
  readonly refund_status: string;
  readonly refund_amount: number;
  readonly currency: string;
};

export type HoldData = { readonly hold_id: string; readonly status: string };

/** The fields of a recommendation that the test reads. */
export type RecommendedData = {
  readonly recommendations: readonly { readonly id: string; readonly available_date: string }[];
  readonly context: { readonly log_id: string };
};

export type InventoryData = {
  readonly inventory: readonly { readonly activity_id: string; readonly available_slots: number }[];
};

export type VisitData = { readonly booking_id: string; readonly verified_at: string; readonly user_name: string };

export type Answer<Data> =
  | { readonly kind: 'done'; readonly data: Data; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly code: string; readonly error: string }
  /** The connection broke, or the answer was cut: the outcome of the request is unknown. */
  | { readonly kind: 'none' };

/** Longer than any answer takes; a running service that is silent for this time is faulty. */
const SILENCE_MS = 20_000;
/** Longest time until a service answers again once its engines are available. */
const AGAIN_MS = 10_000;

/** Sends one HTTP request; POST if it has a body. */
export async function send<Data>(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object | null,
  method: 'GET' | 'DELETE' = 'GET',
): Promise<Answer<Data>> {
  const request: RequestInit =
    body === null
      ? { method, headers }
      : { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(SILENCE_MS) });
    // The ledger checks the content of the envelope.
    const answer = (await response.json()) as { success: boolean; data: Data; code: string; error: string };
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    if (answer.success) return { kind: 'done', data: answer.data, replayed };
    return { kind: 'refused', code: answer.code, error: answer.error };
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === 'TimeoutError') {
      return { kind: 'refused', code: 'SILENCE', error: `no answer within ${SILENCE_MS} ms` };
    }
    return { kind: 'none' };
  }
}

/** Sends a request and repeats it for a while, as long as the service asks to retry. */
export async function sendPatiently<Data>(
  url: () => string,
  headers: Readonly<Record<string, string>>,
  body: object | null,
): Promise<Answer<Data>> {
  let answer: Answer<Data> = { kind: 'none' };
  await eventually(async () => {
    answer = await send<Data>(url(), headers, body);
    return answer.kind !== 'refused' || answer.code !== 'SERVICE_UNAVAILABLE';
  }, AGAIN_MS);
  return answer;
}

/** Headers with the Idempotency-Key, if there is one. */
export function withKey(
  headers: Readonly<Record<string, string>>,
  idempotencyKey: string | null,
): Readonly<Record<string, string>> {
  return idempotencyKey === null ? headers : { ...headers, 'idempotency-key': idempotencyKey };
}
