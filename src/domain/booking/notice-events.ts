import type { Fingerprint } from '../ids.ts';

/** What a mail other than the voucher's says. A `pending` or `venue_request` after a change says that the booking was changed. */
export type NoticeKind = 'pending' | 'rejected' | 'cancelled' | 'venue_request';
/** Whom a notice is for: the guest (of a test booking the key's contact), or the contact of the venue. */
export type NoticeAudience = 'guest' | 'venue';
/** A notice of a booking: `version` is the booking's after the event that caused it. */
export type NoticeRef = { readonly kind: NoticeKind; readonly version: number };

/** `attempt` counts from 1. `retryAtMs` (ms since the epoch) is null after the last attempt. */
export type FailedAttempt = {
  readonly messageId: string;
  readonly attempt: number;
  readonly reason: string;
  readonly retryAtMs: number | null;
  readonly at: string;
};

/** These types are the storage format. */
export type NoticeEvent =
  /**
   * The mail server, or the outbox, accepted a notice. `replaced`: a newer mail replaced the notice during the attempt; it counts
   * for the bounds of mails only.
   */
  | {
      readonly type: 'NoticeMailed';
      readonly data: NoticeRef & {
        readonly replaced: boolean;
        readonly messageId: string;
        readonly providerId: string | null;
        readonly recipient: Fingerprint;
        readonly at: string;
      };
    }
  /** As VoucherMailFailed, for a notice. */
  | { readonly type: 'NoticeMailFailed'; readonly data: NoticeRef & FailedAttempt };
