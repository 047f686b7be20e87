import { expect } from 'bun:test';
import { ERROR_CODES, type ErrorCode, type Resolution } from '../../src/application/refusal.ts';

/** The members of answers that tests go on with. Whole answers are compared as what they are: plain JSON. */
export type Booking = {
  readonly booking_id: string;
  readonly status: string;
  readonly voucher: { readonly code: string; readonly qr_url: string; readonly valid_until: string };
  readonly activity: { readonly id: string; readonly title: string };
  readonly pricing: { readonly unit_price: number; readonly total: number };
  readonly booking_date: string;
  readonly email_sent: boolean;
  readonly email_sent_at: string | null;
};
export type Quote = {
  readonly dry_run: true;
  readonly available: boolean;
  readonly available_slots: number;
  readonly pricing: Booking['pricing'];
};
export type Inventory = {
  readonly inventory: readonly {
    readonly activity_id: string;
    readonly available_slots: number;
    readonly price: number;
  }[];
  readonly metadata: { readonly total_results: number; readonly query_date: string };
};
export type Recommendations = {
  readonly recommendations: readonly {
    readonly id: string;
    readonly title: string;
    readonly price: number;
    readonly relevance_score: number;
    readonly recommendation_reason: string;
    readonly available_date: string;
    readonly score_breakdown: Readonly<Record<'profile' | 'ground_truth' | 'weather' | 'time' | 'price', number>>;
  }[];
  readonly context: {
    readonly log_id: string;
    readonly user_profile_summary: string;
    readonly environment_summary: string;
  };
};
export type Visit = { readonly booking_id: string; readonly verified_at: string; readonly verification_method: string };
export type Key = {
  readonly id: string;
  readonly key: string;
  readonly webhook_secret: string;
  readonly prefix: string;
};
export type Device = { readonly device_id: string; readonly device_key: string };
export type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

export type Refusal = {
  readonly status: number;
  readonly code: ErrorCode;
  readonly error: string;
  readonly details: string;
  readonly retryable: boolean;
  readonly resolution: Resolution;
  readonly alternatives?: readonly Alternative[];
};
/** What `alternatives` offers: dates, cities, or filters to leave out. */
export type Alternative = {
  readonly activity_id?: string;
  readonly booking_date?: string;
  readonly available_slots?: number;
  readonly city?: string;
  readonly leave_out?: string;
  readonly activities?: number;
};

/** An answer in the envelope. `data` of a refusal and `refusal` of a success throw, and say what was answered. */
export type Answer<T = object> = {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
  readonly refusal: Refusal;
};

/** A refusal as a whole, where nothing but its code and sentence is of interest. */
export function refused(status: number, code: ErrorCode, error: string, more: Partial<Refusal> = {}): Refusal {
  return { status, code, error, details: '', retryable: false, resolution: 'fix_request', ...more };
}

/** The refusal of a request with one bad field: the sentence stands in `details` too. */
export function faulty(code: ErrorCode, sentence: string): Refusal {
  return refused(400, code, sentence, { details: sentence });
}

const RESOLUTIONS = ['fix_request', 'retry_later', 'choose_other', 'contact_operator'];

/** Reads an answer, and looks at what holds of every one: its envelope, its status, its request id. */
export async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  const text = await response.text();
  expect(headers.get('content-type'), text).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
  expect(text).not.toMatch(/\.ts:\d|node_modules|\bat \w+ \(/);
  const body: unknown = JSON.parse(text);
  const refusal = { status, ...(body as Omit<Refusal, 'status'>) };
  const told = (what: string): Error => new Error(`there is no ${what} in the answer ${status} ${text}`);
  if ((body as { success?: unknown }).success === true) {
    expect(body).toEqual({ success: true, data: expect.any(Object) });
    expect(status).toBe(200);
    return {
      status,
      headers,
      data: (body as { data: T }).data,
      get refusal(): Refusal {
        throw told('refusal');
      },
    };
  }
  expect(body).toEqual({
    success: false,
    error: expect.stringMatching(/^\S.{10,}\.$/s),
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
      throw told('data');
    },
    refusal: rest,
  };
}
