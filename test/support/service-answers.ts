import { expect } from 'bun:test';
import { ERROR_CODES, type ErrorCode, type Resolution } from '../../src/application/refusal.ts';
import type { App } from '../../src/http/app.ts';

/** The data of a route's success, from the app's own types: `AnswerOf<'get /api/b2a/holds/:hold_id'>`. */
export type AnswerOf<Route extends string> = Route extends `${infer Method} /${infer Path}`
  ? DataIn<AnswersOf<Member<RouteAt<App['~Routes'], Path>, Method>>>
  : never;

type RouteAt<Routes, Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? RouteAt<Member<Routes, Segment>, Rest>
  : Member<Routes, Path>;
type Member<Routes, Name extends string> = Name extends keyof Routes ? Routes[Name] : never;
type AnswersOf<Route> = Route extends { readonly response: { readonly 200: infer Success } } ? Success : never;
type DataIn<Success> = Success extends { readonly data: infer Data } ? Data : never;

type Booked = AnswerOf<'post /api/b2a/execute_booking'>;
export type Quote = Extract<Booked, { readonly dry_run: true }>;
/** A booking with its voucher. */
export type Booking = WithVoucher<Exclude<Booked, Quote>>;
export type WithVoucher<B extends { readonly voucher: object | null }> = B & {
  readonly voucher: NonNullable<B['voucher']>;
};
export type Inventory = AnswerOf<'get /api/b2a/inventory'>;
export type Recommendations = AnswerOf<'post /api/b2a/recommend'>;
export type Visit = AnswerOf<'post /api/venue/verify'>;
export type Key = AnswerOf<'post /api/keys'>;
export type Keys = AnswerOf<'get /api/keys'>;
export type Operator = AnswerOf<'post /api/operators'>;
export type Device = AnswerOf<'post /api/venues/:venue_id/devices'>;
export type Deliveries = AnswerOf<'get /api/webhooks/deliveries'>;
export type Delivery = Deliveries['items'][number];

export type Refusal = {
  readonly status: number;
  readonly code: ErrorCode;
  readonly error: string;
  readonly details: string;
  readonly retryable: boolean;
  readonly resolution: Resolution;
  readonly alternatives?: readonly Alternative[];
};
/** What `alternatives` offers: dates, cities, filters to leave out, or the present total. */
export type Alternative = {
  readonly activity_id?: string;
  readonly title?: string;
  readonly date?: string;
  readonly booking_date?: string;
  readonly available_slots?: number;
  readonly city?: string;
  readonly leave_out?: string;
  readonly activities?: number;
  readonly total?: number;
  readonly currency?: string;
};

/** An answer in the envelope. `data` of a refusal and `refusal` of a success throw with the answer. */
export type Answer<T = object> = {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
  readonly refusal: Refusal;
};

/** A whole refusal with this code and message, and no details. */
export function refused(status: number, code: ErrorCode, error: string, more: Partial<Refusal> = {}): Refusal {
  return { status, code, error, details: '', retryable: false, resolution: 'fix_request', ...more };
}

/** The refusal of a request with one bad field; `details` repeats the message. */
export function faulty(code: ErrorCode, sentence: string): Refusal {
  return refused(400, code, sentence, { details: sentence });
}

const RESOLUTIONS = ['fix_request', 'retry_later', 'choose_other', 'contact_operator'];

/** Reads an answer and checks its envelope, status and request id. */
export async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  const text = await response.text();
  expect(headers.get('content-type'), text).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
  expect(text).not.toMatch(/\.ts:\d|node_modules|\bat \w+ \(/);
  const body: unknown = JSON.parse(text);
  const refusal = { status, ...(body as Omit<Refusal, 'status'>) };
  const missing = (what: string): Error => new Error(`there is no ${what} in the answer ${status} ${text}`);
  if ((body as { success?: unknown }).success === true) {
    expect(body).toEqual({ success: true, data: expect.any(Object) });
    expect(status).toBe(200);
    return {
      status,
      headers,
      data: (body as { data: T }).data,
      get refusal(): Refusal {
        throw missing('refusal');
      },
    };
  }
  expect(body).toEqual({
    success: false,
    error: expect.stringMatching(/^\S.{10,}[.?]$/s),
    code: expect.stringMatching(/^[A-Z_]+$/),
    details: expect.any(String),
    retryable: expect.any(Boolean),
    resolution: expect.any(String),
    ...(refusal.alternatives === undefined ? {} : { alternatives: expect.any(Array) }),
  });
  expect(ERROR_CODES).toContain(refusal.code);
  expect(RESOLUTIONS).toContain(refusal.resolution);
  expect(refusal.retryable, text).toBe(refusal.resolution === 'retry_later');
  expect(status).toBeGreaterThanOrEqual(400);
  const comeAgain = status === 503 || status === 429 || refusal.code === 'IDEMPOTENCY_IN_PROGRESS';
  expect(headers.get('retry-after') ?? '').toMatch(comeAgain ? /^[1-9]\d*$/ : /^$/);
  const { success: _failed, ...rest } = refusal as Refusal & { success: false };
  return {
    status,
    headers,
    get data(): T {
      throw missing('data');
    },
    refusal: rest,
  };
}
