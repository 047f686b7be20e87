import type { Guest, Refusal } from './verdict.ts';

/** An answer to an upload that does not decide on it. `status`: of HTTP; 0 if none came in time. `code`: of the API, if it was one of it. */
export type Fault = {
  readonly status: number;
  readonly code: string | null;
  /** From 1. */
  readonly attempts: number;
  /** By the service's clock, ms since the epoch. */
  readonly retryAtMs: number;
};

/** An admission, or later guests of one, from the moment the phone stores it until the service has it. */
export type Entry = {
  /** Grows with each entry of the device; also the order of uploads. */
  readonly sequence: number;
  readonly idempotencyKey: string;
  readonly guest: Guest | null;
  readonly guestsPresent: number;
  /** When the guests were admitted, by the service's clock. ISO 8601 UTC. */
  readonly at: string;
  /** The hash of the voucher's code, by which the phone recognises a second scan; null for a typed short code. */
  readonly hash: string | null;
  readonly sent:
    | { readonly kind: 'visit'; readonly code: string }
    | { readonly kind: 'arrivals'; readonly bookingId: string };
  /** Why the service refused it. It stays on the phone until a person has read it. */
  readonly conflict: Refusal | null;
  /** Left out until an upload of it got a fault. */
  readonly fault?: Fault;
};
