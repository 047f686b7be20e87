import type { Unavailable } from '../actors/actor.ts';
import type { UnavailableCause } from '../ports/store-unavailable.ts';

/** What a caller should do next. */
export type Resolution = 'fix_request' | 'retry_later' | 'choose_other' | 'contact_operator';

/** The error codes of the public contract, with their default resolutions. */
const RESOLUTIONS = {
  INVALID_REQUEST: 'fix_request',
  INVALID_DATE: 'fix_request',
  INVALID_EMAIL: 'fix_request',
  INVALID_CITY: 'fix_request',
  INVALID_LOCATION: 'fix_request',
  INVALID_PROFILE: 'fix_request',
  BOOKING_LIMIT_EXCEEDED: 'fix_request',
  VOUCHER_TOKEN_INVALID: 'contact_operator',
  MISSING_API_KEY: 'fix_request',
  INVALID_API_KEY: 'fix_request',
  MISSING_DEVICE_KEY: 'fix_request',
  INVALID_DEVICE_KEY: 'contact_operator',
  MISSING_TOKEN: 'fix_request',
  INVALID_TOKEN: 'fix_request',
  KEY_INACTIVE: 'contact_operator',
  IP_NOT_ALLOWED: 'contact_operator',
  ENDPOINT_NOT_ALLOWED: 'contact_operator',
  WRONG_VENUE: 'choose_other',
  HTTPS_REQUIRED: 'fix_request',
  SPENDING_LIMIT: 'choose_other',
  FORBIDDEN: 'fix_request',
  NOT_FOUND: 'fix_request',
  NO_INVENTORY: 'choose_other',
  NO_ACTIVITIES: 'choose_other',
  ACTIVITY_NOT_FOUND: 'choose_other',
  BOOKING_NOT_FOUND: 'fix_request',
  HOLD_NOT_FOUND: 'fix_request',
  VOUCHER_NOT_FOUND: 'fix_request',
  METHOD_NOT_ALLOWED: 'fix_request',
  ACTIVITY_UNAVAILABLE: 'choose_other',
  INVENTORY_EXHAUSTED: 'choose_other',
  BOOKING_NOT_MODIFIABLE: 'choose_other',
  BOOKING_NOT_CANCELLABLE: 'contact_operator',
  HOLD_USED: 'fix_request',
  EXPOSURE_LIMIT: 'choose_other',
  EXPERIMENT_RUNNING: 'choose_other',
  VOUCHER_ALREADY_VERIFIED: 'contact_operator',
  VOUCHER_NOT_VALID_TODAY: 'retry_later',
  VOUCHER_CANCELLED: 'contact_operator',
  IDEMPOTENCY_IN_PROGRESS: 'retry_later',
  REVISION_CONFLICT: 'fix_request',
  PRICE_CHANGED: 'fix_request',
  WEBHOOK_SUSPENDED: 'fix_request',
  HOLD_EXPIRED: 'fix_request',
  VOUCHER_EXPIRED: 'contact_operator',
  PAYLOAD_TOO_LARGE: 'fix_request',
  UNSUPPORTED_MEDIA_TYPE: 'fix_request',
  IDEMPOTENCY_KEY_REUSED: 'fix_request',
  RATE_LIMITED: 'retry_later',
  QUOTA_EXCEEDED: 'retry_later',
  INTERNAL_ERROR: 'retry_later',
  SERVICE_UNAVAILABLE: 'retry_later',
} as const satisfies Record<string, Resolution>;

export type ErrorCode = keyof typeof RESOLUTIONS;
export const ERROR_CODES = Object.keys(RESOLUTIONS) as readonly ErrorCode[];

/** The error that callers get over HTTP and MCP. Agents act on these texts. */
export type Refusal = {
  readonly code: ErrorCode;
  /** One sentence: what is wrong, with the field and value, and what to do. */
  readonly error: string;
  readonly details: string;
  readonly resolution: Resolution;
  /** True if the same request can succeed later: `resolution` is `retry_later`. */
  readonly retryable: boolean;
  readonly alternatives?: readonly object[];
  readonly retryAfterSeconds?: number;
  /** Of SERVICE_UNAVAILABLE: for the request's log line only, never in a response. `logged`: without such a line. */
  readonly cause?: (UnavailableCause & { readonly reason: string }) | 'logged';
};

/** A refusal; the resolution defaults to that of the code. */
export function refusal(
  code: ErrorCode,
  error: string,
  more: Partial<Pick<Refusal, 'details' | 'resolution' | 'alternatives' | 'retryAfterSeconds' | 'cause'>> = {},
): Refusal {
  const resolution = more.resolution ?? RESOLUTIONS[code];
  return {
    code,
    error,
    details: more.details ?? '',
    resolution,
    retryable: resolution === 'retry_later',
    ...(more.alternatives === undefined ? {} : { alternatives: more.alternatives }),
    ...(more.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: more.retryAfterSeconds }),
    ...(more.cause === undefined ? {} : { cause: more.cause }),
  };
}

export type Refused = { readonly kind: 'refused'; readonly refusal: Refusal };

export function refused(...args: Parameters<typeof refusal>): Refused {
  return { kind: 'refused', refusal: refusal(...args) };
}

/** An actor could not reply: mailbox full, store unavailable, deadline passed, or stream erased. */
export function noReply(reply: Unavailable | { readonly kind: 'erased' }): Refused {
  if (reply.kind === 'erased') return serviceUnavailable('erased', { call: 'ask of a stream that was erased' });
  return reply.reason === 'too-large' ? tooLarge() : serviceUnavailable(reply.reason, reply.cause);
}

/** What the request would store is over the event store's limit. */
export function tooLarge(): Refused {
  return refused('PAYLOAD_TOO_LARGE', 'The request would store more than the event store accepts; send less text.', {
    details: 'Nothing was stored, and the same request would be refused again.',
  });
}

/** The service cannot decide now. The request can be repeated. */
export function serviceUnavailable(reason: string, cause: UnavailableCause): Refused {
  return refused(
    'SERVICE_UNAVAILABLE',
    'The service cannot answer this now; send the same request again after a moment.',
    {
      details: `reason: ${reason}. With the same Idempotency-Key a repeated request never books or charges twice.`,
      retryAfterSeconds: 1,
      cause: { reason, ...cause },
    },
  );
}
