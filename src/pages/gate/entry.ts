import type { Guest, Refusal } from './verdict.ts';

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
};
